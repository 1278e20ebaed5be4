"""Plays any offered play, each as likely: the weakest bot that never errs."""

from clients.bots.base import Bot
from engine.moves import Play
from engine.shuffle import ByteStream, derive
from engine.views import SeatView


class RandomBot(Bot):
    """Draws from its seed and what it sees, so that it plays alike after a restart."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return one of *offers*."""
        public = view.round
        moment = (public.index, public.stock_size, len(public.piles[0]), sum(map(len, public.piles)), len(public.melds))
        key = derive(self.seed.to_bytes(32, "big"), "random", view.hand % (1 << 64), *moment)
        return offers[ByteStream(key).below(len(offers))]
