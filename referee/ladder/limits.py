"""Sets limits on its process and becomes a bot: `limits.py CPU_S MEMORY_MB OPEN_FILES PROGRAM [ARGUMENT…]`, 0 for none.

Run as a script, with nothing but the standard library: the limits hold from the
bot's first instruction on, for all that it starts, and nothing of ours runs
between fork and exec in a process that has threads.
"""

import os
import resource
import sys
from typing import Final

_NO_PROGRAM: Final = 127


def set_limit(kind: int, wanted: int) -> None:
    """Limit *kind* to *wanted*, or to what already is the limit if that is less; 0 leaves it."""
    _, hard = resource.getrlimit(kind)
    if wanted:
        limit = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        resource.setrlimit(kind, (limit, limit))


def main() -> None:
    """Limit, then execute."""
    cpu_s, memory_mb, open_files = map(int, sys.argv[1:4])
    program = sys.argv[4:]
    set_limit(resource.RLIMIT_CPU, cpu_s)
    # Data and not address space: runtimes reserve far more of that than they ever use.
    set_limit(resource.RLIMIT_DATA, memory_mb << 20)
    set_limit(resource.RLIMIT_NOFILE, open_files)
    try:
        os.execvp(program[0], program)  # noqa: S606 - the bot's own command, without a shell
    except OSError as missing:
        sys.stderr.write(f"cannot run {program[0]}: {missing.strerror}\n")
        sys.exit(_NO_PROGRAM)


if __name__ == "__main__":
    main()
