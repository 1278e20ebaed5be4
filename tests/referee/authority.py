"""A certificate authority of a test, and the files of a referee's certificate."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme


class Authority:
    """Issues certificates that only its own file makes trusted."""

    def __init__(self, folder: Path, name: str = "ca.pem") -> None:
        """Make it, with its certificate in *folder*."""
        self._authority = trustme.CA()
        self.file = folder / name
        self._authority.cert_pem.write_to_path(self.file)

    def certify(self, cert: Path, key: Path, *, host: str = "127.0.0.1", expired: bool = False) -> None:
        """Write a certificate for *host* and its key."""
        until = datetime.now(UTC) - timedelta(days=1) if expired else None
        since = datetime.now(UTC) - timedelta(days=2)
        issued = self._authority.issue_cert(host, not_before=since, not_after=until)
        key.write_bytes(issued.private_key_pem.bytes())
        cert.write_bytes(b"".join(blob.bytes() for blob in issued.cert_chain_pems))
