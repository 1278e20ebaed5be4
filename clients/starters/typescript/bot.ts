// A rummyref bot: it answers each decision with an offered play, and lets the referee search melds for it.
import { credentials, loadPackageDefinition, Metadata, ServiceError, status } from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { ProtoGrpcType as PlayApi } from "./gen/play_service";
import { ArrangeRequest } from "./gen/rummyref/v1/ArrangeRequest";
import { Card } from "./gen/rummyref/v1/Card";
import { Decision__Output as Decision } from "./gen/rummyref/v1/Decision";
import { Delivery } from "./gen/rummyref/v1/Delivery";
import { Move__Output as Move } from "./gen/rummyref/v1/Move";
import { Play } from "./gen/rummyref/v1/Play";
import { RulesServiceClient } from "./gen/rummyref/v1/RulesService";
import { Seated__Output as Seated } from "./gen/rummyref/v1/Seated";
import { ProtoGrpcType as RulesApi } from "./gen/rules_service";

const files = ["rummyref/v1/play_service.proto", "rummyref/v1/rules_service.proto"];
const folder = join(__dirname, "../../../../proto");
const api = loadPackageDefinition(
  loadSync(files, { includeDirs: [folder], longs: String, oneofs: true, defaults: true }),
) as unknown as PlayApi & RulesApi;
const { PlayService, RulesService } = api.rummyref.v1;

const [address, ca] = [process.env.RUMMYREF_ADDRESS ?? "", process.env.RUMMYREF_CA ?? ""];
const metadata = new Metadata();
metadata.set("authorization", `Bearer ${process.env.RUMMYREF_TOKEN}`);
const { UNAUTHENTICATED, PERMISSION_DENIED, FAILED_PRECONDITION, INVALID_ARGUMENT, UNIMPLEMENTED } = status;
const refusals = [UNAUTHENTICATED, PERMISSION_DENIED, FAILED_PRECONDITION, INVALID_ARGUMENT, UNIMPLEMENTED];
const seats = new Map<string, Seated>(); // by table: one bot plays many tables over one stream
let [tries, most] = [0, 9]; // connections tried since the referee was heard, and when to give up

/** Keep the bot connected until the referee refuses it or cannot be found any more. */
async function main() {
  for (;;) {
    const error = await attend().catch((broken: ServiceError) => broken);
    if (error && refusals.includes(error.code)) fail(error.details); // would be refused again
    if (error && !(error.code in status)) throw error; // a fault of this program
    const where = `RUMMYREF_ADDRESS=${address} with RUMMYREF_CA="${ca}", which TLS needs`;
    if (++tries > most) fail(`no referee answers at ${where}: ${error?.details}`);
    await setTimeout(tries * 100);
  }
}

function fail(line: string): never {
  console.error(line);
  process.exit(1);
}

/** Play over one stream until that breaks. */
async function attend() {
  // RUMMYREF_CA is set where the referee speaks TLS: the file that says whom to trust
  const trusted = ca && ca !== "system" ? readFileSync(ca) : null; // null for whom this machine trusts
  const transport = ca ? credentials.createSsl(trusted) : credentials.createInsecure();
  const alive = { "grpc.keepalive_time_ms": 10_000, "grpc.keepalive_timeout_ms": 2_000 };
  const channel = new PlayService(address, transport, alive);
  const rules = new RulesService(address, transport, { channelOverride: channel.getChannel() });
  const resume = [...seats.values()]; // those that a connection which broke has carried
  const hello = {
    protocol: 1, clientName: process.env.RUMMYREF_BOT, capacity: Number(process.env.RUMMYREF_CAPACITY ?? 8),
    delivery: Delivery.DELIVERY_GATHERED, wantViews: true, wantOffers: true, resume,
  };
  const stream = channel.Play(metadata);
  try {
    stream.write({ hello });
    for await (const { seated, decision, tableOver } of stream) {
      [tries, most] = [0, 35]; // it is there; should it go, it has a minute to come back
      if (seated) {
        seats.set(seated.tableId, seated);
      } else if (decision) {
        const { tableId, seat, decisionId } = decision;
        const submit = (play: Play) => stream.write({ submit: { tableId, seat, decisionId, attempt: 1, play } });
        choose(rules, seats.get(tableId)!, decision).then(submit); // meanwhile, other tables may ask
      } else if (tableOver) {
        seats.delete(tableOver.tableId);
      } // whatever else it says, now or in a later version, asks for nothing
    }
  } finally {
    channel.close();
  }
}

/** Return the play that lays most cards; where none is laid, the draw or the discard of the loneliest loose card. */
async function choose(rules: RulesServiceClient, seated: Seated, { offers, view }: Decision) {
  const hand = view!.own!.hand;
  const { preset, settings } = seated.rules!;
  const left = await leftOver(rules, { preset, options: settings, cards: hand });
  const loose = left.filter((card) => card !== Card.CARD_JOKER);
  const [lonely] = loose.sort((a, b) => neighbours(a, hand) - neighbours(b, hand));
  const values = offers.map(({ moves }) => moves.reduce((sum, move) => sum + value(move, lonely), 0));
  return offers[values.indexOf(Math.max(...values))];
}

/** Return the cards that are in no meld; none where the question fails. */
const leftOver = (rules: RulesServiceClient, question: ArrangeRequest) =>
  new Promise<number[]>((resolve) => rules.Arrange(question, (_, answer) => resolve(answer?.left ?? [])));

/** Count the cards that may make a meld with one: a suit is numbered in a row, and 13 apart from the next. */
const neighbours = (one: number, hand: number[]) =>
  hand.filter((card) => {
    const near = Math.abs(card - one) <= 2 && Math.ceil(card / 13) === Math.ceil(one / 13);
    return card !== one && (near || (card - one) % 13 === 0);
  }).length;

/** Weigh a move by the cards it brings to the table. */
function value({ kind, lay, layOff, take, discard }: Move, lonely: number): number {
  if (!kind) return -1000; // a kind of move from a later version
  const laid = (lay?.cards.length ?? 0) + (layOff?.cards.length ?? 0) - (take?.depth ?? 0);
  return 2 * laid + (discard && discard.card === lonely ? 1 : 0);
}

main().catch((fault) => fail(`${fault}`));
