"""Decisions a second of a referee over gRPC beside a bare echo server.

Both are processes of their own on loopback, asked by the same bots in the same
run; the echo server sends decisions that the referee sent before. The referee
checks rules, runs clocks and makes every play durable.
"""

import json
from pathlib import Path
from statistics import mean, median
from tempfile import TemporaryDirectory
from typing import Any, Final

from benchmarks.process import serving, start

BOTS: Final = 2
PAIRS: Final = 2
TABLES: Final = 8
SECONDS: Final = 4.0
ROUNDS: Final = 2
ALONE_S: Final = 2.0
_WAIT_S: Final = 30


def _ask(address: str, bots: int, *arguments: str) -> list[dict[str, Any]]:
    """Run *bots* bot processes at once and return what each counted."""
    running = [start("benchmarks.bot", address, *arguments) for _ in range(bots)]
    try:
        return [json.loads(process.communicate(timeout=_WAIT_S)[0]) for process in running]
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()


def _rate(address: str, *arguments: str) -> tuple[float, list[str]]:
    shape = ("--pairs", str(PAIRS), "--tables", str(TABLES), "--seconds", str(SECONDS), *arguments)
    counted = _ask(address, BOTS, *shape)
    samples = [sample for one in counted for sample in one["samples"]]
    return sum(one["answered"] / one["seconds"] for one in counted), samples


def _alone_ms(address: str, *arguments: str) -> float:
    """Return the median round trip with one table and nothing else."""
    counted = _ask(address, 1, "--pairs", "1", "--tables", "1", "--seconds", str(ALONE_S), *arguments)
    return float(counted[0]["wait_ms"])


def report() -> None:
    """Print rates, ratio and added time."""
    rates: list[tuple[float, float]] = []
    samples: list[str] = []
    waits: list[float] = []
    with TemporaryDirectory() as folder:
        replies = Path(folder) / "decisions.hex"
        for number in range(ROUNDS):
            data = str(Path(folder) / f"data-{number}")
            with serving("referee", "--listen", "127.0.0.1:0", "--data", data, "--log-level", "error") as server:
                address = server.address
                played, samples = _rate(address)
                alone = _alone_ms(address) if number == 0 else 0.0
            replies.write_text("\n".join(samples), "ascii")
            with serving("benchmarks.echo", str(replies)) as server:
                address = server.address
                echoed, _ = _rate(address, "--echo")
                waits = [alone, _alone_ms(address, "--echo")] if number == 0 else waits
            rates.append((played, echoed))
    size = mean(len(sample) / 2 for sample in samples)
    print(f"referee over gRPC, {BOTS} bot processes, {BOTS * PAIRS * 2} streams, {BOTS * PAIRS * TABLES} tables")
    print(f"  referee     {median(one[0] for one in rates):>10,.0f} decisions a second, {size:,.0f} bytes each")
    print(f"  bare echo   {median(one[1] for one in rates):>10,.0f} messages a second, the same")
    print(f"  referee = {median(played / echoed for played, echoed in rates):.0%} of the echo")
    print(f"  one table alone, ms a round trip: referee {waits[0]:.2f}, echo {waits[1]:.2f}")
