"""The referee's certificate: read at the start, and again whenever its files have changed."""

import ssl
from pathlib import Path

import grpc
import structlog

_log = structlog.get_logger()


class CertificateError(Exception):
    """A certificate cannot be used; the message says why."""


class Certificate:
    """A certificate chain and its private key, in two PEM files that may be renewed while the referee runs."""

    def __init__(self, cert: Path, key: Path) -> None:
        """Read both files.

        Raises:
            CertificateError: One cannot be read, is no PEM, or the two do not belong together.
        """
        self._files = cert, key
        self._version = self._changed()
        self._pair = self._read()

    @classmethod
    def of(cls, cert: Path | None, key: Path | None) -> "Certificate | None":
        """Return the certificate in two files, None where neither is named.

        Raises:
            CertificateError: Only one is named, or as above.
        """
        if cert is None and key is None:
            return None
        if cert is None or key is None:
            lacking = "tls_cert" if cert is None else "tls_key"
            raise CertificateError(f"TLS needs a certificate and its key, and there is no {lacking}")
        return cls(cert, key)

    def credentials(self) -> grpc.ServerCredentials:
        """Return what a server listens with; each connection gets the newest certificate."""
        return grpc.dynamic_ssl_server_credentials(_configuration(self._pair), self._renewed)  # type: ignore[arg-type]  # None means unchanged

    def _renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return the new certificate if the files have changed and are good; called for each connection."""
        version = self._changed()
        if version == self._version:
            return None
        self._version = version
        try:
            self._pair = self._read()
        except CertificateError as broken:
            _log.error("certificate_refused", problem=str(broken))
            return None
        _log.info("certificate_renewed")
        return _configuration(self._pair)

    def _changed(self) -> tuple[int, ...]:
        """Return something that changes with the files."""
        return tuple(file.stat().st_mtime_ns if file.exists() else 0 for file in self._files)

    def _read(self) -> tuple[bytes, bytes]:
        cert, key = self._files
        try:
            pair = key.read_bytes(), cert.read_bytes()
            ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(cert, key, password="")
        except ssl.SSLError as broken:
            raise CertificateError(
                f"{cert} and {key} are no certificate with its private key in PEM, the key without a password: "
                f"{broken.reason or broken}"
            ) from broken
        except OSError as unreadable:
            raise CertificateError(f"{unreadable.filename}: cannot be read: {unreadable.strerror}") from unreadable
        return pair


def _configuration(pair: tuple[bytes, bytes]) -> grpc.ServerCertificateConfiguration:
    return grpc.ssl_server_certificate_configuration([pair])
