"""The way to a referee: plain or over TLS, and what is wrong where there is none."""

import os
import socket
import ssl
from pathlib import Path
from typing import Final, NamedTuple

import grpc
from google.rpc import error_details_pb2
from grpc_status import rpc_status

SYSTEM_CA: Final = "system"
"""Instead of a file: the certificate authorities that this machine trusts."""

_MISMATCHES: Final = {
    "TLS_NEEDED", "TLS_UNSUPPORTED", "CERTIFICATE_EXPIRED", "CERTIFICATE_WRONG_HOST", "CERTIFICATE_UNTRUSTED",
}  # fmt: skip
_OUT_OF_DATE: Final = {9, 10}
_WRONG_HOST: Final = {62, 64}
"""Codes of OpenSSL: X509_V_ERR_…."""

_UNIX: Final = "unix:"
"""What the address of a socket in the file system begins with: ladders give it to bots in a sandbox."""

_PROBE_S: Final = 2.0
_HANDSHAKE_S: Final = 10.0
"""The machine answers for a referee that is busy, TLS does not."""

_CHANNEL: Final = (
    ("grpc.keepalive_time_ms", 2_000),
    ("grpc.keepalive_timeout_ms", 2_000),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.enable_retries", 0),
    # The library's own pauses grow to two minutes; a network that is back should be used at once.
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 2_000),
    ("grpc.max_reconnect_backoff_ms", 2_000),
)


class SessionError(Exception):
    """The referee refused, or cannot be reached.

    Attributes:
        reason: Name of the reason; `UNREACHABLE` if no referee answered, `TLS_…` or
            `CERTIFICATE_…` if the two do not agree on how to talk.
    """

    def __init__(self, reason: str, message: str) -> None:
        """Carry one line for people."""
        super().__init__(message)
        self.reason: Final = reason

    @property
    def is_unreachable(self) -> bool:
        """Whether nothing was said to a referee at all."""
        return self.reason == "UNREACHABLE" or self.is_mismatch

    @property
    def is_mismatch(self) -> bool:
        """Whether the settings of TLS must be mended before another try."""
        return self.reason in _MISMATCHES


class Environment(NamedTuple):
    """What a bot finds in its environment.

    Attributes:
        address: HOST:PORT, of `RUMMYREF_ADDRESS`.
        token: Of `RUMMYREF_TOKEN`, empty without one.
        ca: Of `RUMMYREF_CA`: file of certificate authorities, or `system`; empty for no TLS.
    """

    address: str
    token: str
    ca: str


def from_environment(default_address: str = "127.0.0.1:50051") -> Environment:
    """Return what the environment says of the referee."""
    get = os.environ.get
    return Environment(get("RUMMYREF_ADDRESS", default_address), get("RUMMYREF_TOKEN", ""), get("RUMMYREF_CA", ""))


def open_channel(address: str, ca: str) -> grpc.Channel:
    """Return a channel to *address*, over TLS where *ca* names the authorities to trust.

    Raises:
        SessionError: `ADDRESS_INVALID` or `CA_INVALID`; nothing has been connected.
    """
    if not address.startswith(_UNIX):
        _parts(address)
    if not ca:
        return grpc.insecure_channel(address, options=_CHANNEL)
    credentials = grpc.ssl_channel_credentials(_authorities(ca))
    return grpc.secure_channel(address, credentials, options=_CHANNEL)


def session_error(error: grpc.RpcError, address: str, ca: str, *, probe: bool = True) -> SessionError:
    """Return what *error* means to a person; *probe* connects once more to find out why nobody answers."""
    code = error.code()
    if code in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED):
        return _why_not(address, ca) if probe and not address.startswith(_UNIX) else _nobody(address)
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    reason = code.name
    for detail in status.details if status else ():
        if detail.Unpack(info):
            reason = info.reason
    return SessionError(reason, error.details() or code.name)


def _parts(address: str) -> tuple[str, int]:
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal():
        raise SessionError("ADDRESS_INVALID", f"{address} is no address; write HOST:PORT, such as 127.0.0.1:50051")
    return host.strip("[]"), int(port)


def _authorities(ca: str) -> bytes | None:
    """Return certificates in PEM; None leaves the choice to the gRPC library."""
    if ca == SYSTEM_CA:
        file = ssl.get_default_verify_paths().cafile
        return Path(file).read_bytes() if file else None
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(ca)
        return Path(ca).read_bytes()
    except ssl.SSLError:
        problem = "holds no certificate in PEM"
    except OSError as unreadable:
        problem = f"cannot be read: {unreadable.strerror}"
    raise SessionError("CA_INVALID", f"{ca} {problem}; --ca names a file of certificate authorities, or {SYSTEM_CA}")


def _nobody(address: str) -> SessionError:
    return SessionError("UNREACHABLE", f"no referee answers at {address}; start one with: rummyref serve")


def _why_not(address: str, ca: str) -> SessionError:
    """Connect once by hand and return why no session came about."""
    host, port = _parts(address)
    try:
        with socket.create_connection((host, port), timeout=_PROBE_S) as connection:
            connection.settimeout(_HANDSHAKE_S)
            return _handshake(connection, host, address, ca)
    except (OSError, OverflowError):
        return _nobody(address)


def _handshake(connection: socket.socket, host: str, address: str, ca: str) -> SessionError:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.set_alpn_protocols(["h2"])
    if not ca:
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    elif ca == SYSTEM_CA:
        context.load_default_certs()
    else:
        context.load_verify_locations(ca)
    try:
        context.wrap_socket(connection, server_hostname=host).close()
    except ssl.SSLCertVerificationError as refused:
        return _certificate(refused.verify_code, host, address, ca)
    except TimeoutError:
        return _nobody(address)
    except OSError:
        if ca:
            return SessionError(
                "TLS_UNSUPPORTED", f"the referee at {address} does not speak TLS; leave out --ca and RUMMYREF_CA"
            )
        return _nobody(address)
    if ca:
        return _nobody(address)
    return SessionError(
        "TLS_NEEDED",
        f"the referee at {address} wants TLS; name the file of its certificate authority with --ca or RUMMYREF_CA, "
        f"or say --ca {SYSTEM_CA} for a public one",
    )


def _certificate(code: int, host: str, address: str, ca: str) -> SessionError:
    """Return what an OpenSSL verdict on the referee's certificate means."""
    if code in _OUT_OF_DATE:
        text = "has expired or is not valid yet; ask its organiser to renew it, and check the clock here"
        return SessionError("CERTIFICATE_EXPIRED", f"the certificate of the referee at {address} {text}")
    if code in _WRONG_HOST:
        text = f"is not for {host}; use the host name that it is for"
        return SessionError("CERTIFICATE_WRONG_HOST", f"the certificate of the referee at {address} {text}")
    known = "this machine trusts" if ca == SYSTEM_CA else f"{ca} names"
    text = f"is not by an authority that {known}; name the right file with --ca or RUMMYREF_CA"
    return SessionError("CERTIFICATE_UNTRUSTED", f"the certificate of the referee at {address} {text}")
