"""Plays any offered play, each as likely: the weakest bot that never errs."""

from clients.bots.base import Bot
from engine.moves import Play
from engine.shuffle import ByteStream, derive
from engine.views import SeatView


class RandomBot(Bot):
    """Draws from its seed and what it sees, so that it plays alike after a restart."""

    def play(self, view: SeatView, offers: tuple[Play, ...]) -> Play:
        """Return one of *offers*."""
        return offers[ByteStream(self.key(view, "random")).below(len(offers))]

    def key(self, view: SeatView, purpose: str) -> bytes:
        """Return where the randomness of the decision at *view* comes from, for one *purpose*."""
        public = view.round
        moment = (public.index, public.stock_size, len(public.piles[0]), sum(map(len, public.piles)), len(public.melds))
        return derive(self.seed.to_bytes(32, "big"), purpose, view.hand % (1 << 64), *moment)
