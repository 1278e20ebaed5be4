"""`python -m benchmarks [engine] [melds] [referee] [players]`: measure, beside peers, in less than two minutes."""

import sys

from benchmarks import engine_rate, many_players, meld_search, referee_rate

PARTS = {
    "engine": engine_rate.report,
    "melds": meld_search.report,
    "referee": referee_rate.report,
    "players": many_players.report,
}


def main(names: list[str]) -> int:
    """Run the parts *names*, all of them if none is named."""
    unknown = sorted(set(names) - set(PARTS))
    if unknown:
        print(f"unknown part {unknown[0]}; there are {', '.join(PARTS)}")
        return 2
    for name in names or list(PARTS):
        PARTS[name]()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
