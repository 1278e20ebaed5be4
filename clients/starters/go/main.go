// A rummyref bot: it answers each decision with an offered play, and lets the referee search melds for it.
package main

import (
	"context"
	"fmt"
	"log"
	"os"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
	api "starter/gen/rummyref/v1"
)

var (
	address, ca = os.Getenv("RUMMYREF_ADDRESS"), os.Getenv("RUMMYREF_CA")
	seats       = map[string]*api.Seated{} // by table: one bot plays many tables over one stream
	tries, most = 0, 9                     // connections tried since the referee was heard, and when to give up
)

// main keeps the bot connected until the referee refuses it or cannot be found any more.
func main() {
	ctx := metadata.AppendToOutgoingContext(context.Background(), "authorization", "Bearer "+os.Getenv("RUMMYREF_TOKEN"))
	for ; ; time.Sleep(time.Duration(tries) * 100 * time.Millisecond) {
		broken := status.Convert(attend(ctx))
		switch broken.Code() {
		case codes.Unauthenticated, codes.PermissionDenied, codes.FailedPrecondition, codes.InvalidArgument, codes.Unimplemented:
			log.Fatalln(broken.Message()) // would be refused again
		}
		if tries++; tries > most {
			log.Fatalf("no referee answers at RUMMYREF_ADDRESS=%s with RUMMYREF_CA=%q, which TLS needs: %s", address, ca, broken.Message())
		}
	}
}

// attend plays over one stream until that breaks.
func attend(ctx context.Context) error {
	transport, err := insecure.NewCredentials(), error(nil)
	if ca == "system" { // the referee speaks TLS; trust whom this machine trusts
		transport = credentials.NewTLS(nil)
	} else if ca != "" {
		if transport, err = credentials.NewClientTLSFromFile(ca, ""); err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
	}
	alive := keepalive.ClientParameters{Time: 10 * time.Second, Timeout: 2 * time.Second}
	channel, err := grpc.NewClient(address, grpc.WithTransportCredentials(transport), grpc.WithKeepaliveParams(alive))
	if err != nil {
		return err
	}
	defer channel.Close()
	stream, err := api.NewPlayServiceClient(channel).Play(ctx)
	if err != nil {
		return err
	}
	hello := &api.Hello{Protocol: 1, ClientName: os.Getenv("RUMMYREF_BOT"), Capacity: 8,
		Delivery: api.Delivery_DELIVERY_GATHERED, WantViews: true, WantOffers: true}
	fmt.Sscan(os.Getenv("RUMMYREF_CAPACITY"), &hello.Capacity)
	for _, seat := range seats { // those that a connection which broke has carried
		hello.Resume = append(hello.Resume, &api.Resume{TableId: seat.TableId, Seat: seat.Seat, LastSequence: seat.LastSequence})
	}
	stream.Send(&api.PlayRequest{Kind: &api.PlayRequest_Hello{Hello: hello}})
	for {
		message, err := stream.Recv()
		if err != nil {
			return err
		}
		tries, most = 0, 35 // it is there; should it go, it has a minute to come back
		if seated := message.GetSeated(); seated != nil {
			seats[seated.TableId] = seated
		} else if asked := message.GetDecision(); asked != nil {
			answer := &api.Submit{TableId: asked.TableId, Seat: asked.Seat, DecisionId: asked.DecisionId,
				Attempt: 1, Play: choose(ctx, channel, asked)}
			stream.Send(&api.PlayRequest{Kind: &api.PlayRequest_Submit{Submit: answer}})
		}
		delete(seats, message.GetTableOver().GetTableId()) // whatever else it says, now or later, asks for nothing
	}
}

// choose returns the play that lays most cards; where none is laid, the draw or the discard of the loneliest loose card.
func choose(ctx context.Context, channel *grpc.ClientConn, asked *api.Decision) *api.Play {
	rules, hand := seats[asked.TableId].Rules, asked.View.Own.Hand
	question := &api.ArrangeRequest{Preset: rules.Preset, Options: rules.Settings, Cards: hand}
	arranged, _ := api.NewRulesServiceClient(channel).Arrange(ctx, question)
	lonely, fewest := api.Card(-1), 100
	for _, loose := range arranged.GetLeft() { // in no meld; none where the question failed
		neighbours := 0
		for _, card := range hand { // cards of a suit are numbered in a row, and 13 apart from those of the next
			if step := card - loose; step != 0 && (step*step <= 4 && (card-1)/13 == (loose-1)/13 || step%13 == 0) {
				neighbours++
			}
		}
		if neighbours < fewest && loose != api.Card_CARD_JOKER {
			lonely, fewest = loose, neighbours
		}
	}
	best, highest := asked.Offers[0], -1
	for _, play := range asked.Offers {
		value := 0
		for _, move := range play.Moves {
			value += 2 * (len(move.GetLay().GetCards()) + len(move.GetLayOff().GetCards()) - int(move.GetTake().GetDepth()))
			if move.GetDiscard().GetCard() == lonely {
				value++
			} else if move.Kind == nil { // a kind of move from a later version
				value = -1000
			}
		}
		if value > highest {
			best, highest = play, value
		}
	}
	return best
}
