"""`python -m benchmarks [engine] [melds] [referee] [players] [verify] [refit] [bots]`: measure, beside peers.

Without a name all but `bots`, in two to three minutes; `bots` takes a quarter of an hour.
"""

import sys

from benchmarks import bots, engine_rate, many_players, meld_search, referee_rate, refit, verify_rate

PARTS = {
    "engine": engine_rate.report,
    "melds": meld_search.report,
    "referee": referee_rate.report,
    "players": many_players.report,
    "verify": verify_rate.report,
    "refit": refit.report,
}
LONG = {"bots": bots.report}


def main(names: list[str]) -> int:
    """Run the parts *names*, all of them but the long ones if none is named."""
    known = PARTS | LONG
    unknown = sorted(set(names) - set(known))
    if unknown:
        print(f"unknown part {unknown[0]}; there are {', '.join(known)}")
        return 2
    for name in names or list(PARTS):
        known[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
