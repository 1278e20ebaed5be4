"""Run a referee until it is told to stop."""

import asyncio
import signal
import sys

import structlog

from referee import log
from referee.certificates import Certificate, CertificateError
from referee.keys import KeyFileError, own_key
from referee.server import ListenError, Storage, settle, start
from referee.settings import ServeSettings
from referee.store.database import StoreError, lock_folder

DONE, BAD_INPUT = 0, 2
_log = structlog.get_logger()


def serve(settings: ServeSettings) -> int:
    """Serve until SIGINT or SIGTERM; return the exit code.

    The first line on stdout is `listening on HOST:PORT`.
    """
    log.configure(settings.log_level, settings.log_format)
    try:
        with lock_folder(settings.data):
            return asyncio.run(_serve(settings))
    except (ListenError, StoreError, CertificateError, KeyFileError) as refused:
        sys.stderr.write(f"rummyref serve: {refused}\n")
        return BAD_INPUT


async def _serve(settings: ServeSettings) -> int:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, stop.set)
    certificate, key = Certificate.of(settings.tls_cert, settings.tls_key), own_key(settings.data)
    storage = Storage(settings.database, settings.replays, settings.power_safe)
    referee = await start(settings.listen, storage, certificate, key.sign)
    settle()
    await referee.hall.accounts.ensure_organiser(settings.data)
    referee.ladders.run()
    sys.stdout.write(f"listening on {referee.address}\n")
    sys.stdout.flush()
    _log.info("referee_started", address=referee.address, tls=certificate is not None)
    if certificate is None and not _is_local(referee.address):
        _log.warning("tokens_travel_in_the_clear", remedy="give --tls-cert and --tls-key")
    await stop.wait()
    await referee.stop(settings.shutdown_grace_s)
    _log.info("referee_stopped")
    return DONE


def _is_local(address: str) -> bool:
    host = address.rpartition(":")[0].strip("[]")
    return host in ("localhost", "::1") or host.startswith("127.")
