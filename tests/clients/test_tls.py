"""TLS on loopback: it works where both sides agree, and says what is wrong where they do not."""

import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from clients.session import Session, SessionError, channel
from tests.cli.command import refused
from tests.referee.authority import Authority
from tests.referee.process import RefereeProcess
from tests.referee.test_serve import one_line, serve


class Secured:
    """A referee with a certificate that the test renews."""

    def __init__(self, folder: Path) -> None:
        """Start it with a good certificate for 127.0.0.1."""
        self.authority = Authority(folder)
        self.files = folder / "cert.pem", folder / "key.pem"
        self.authority.certify(*self.files)
        flags = ("--tls-cert", str(self.files[0]), "--tls-key", str(self.files[1]))
        self.process = RefereeProcess(folder / "data", "127.0.0.1:0", *flags)

    @property
    def address(self) -> str:
        """HOST:PORT."""
        return self.process.address


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Secured]:
    """A referee that speaks TLS only."""
    referee = Secured(tmp_path_factory.mktemp("secured"))
    yield referee
    assert referee.process.stop() == 0


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RefereeProcess]:
    """A referee without TLS."""
    referee = RefereeProcess(tmp_path_factory.mktemp("plain"))
    yield referee
    assert referee.stop() == 0


def register(address: str, ca: str | Path) -> str:
    """Register a guest and return the token."""
    session = Session(address, "", ca=str(ca))
    try:
        return session.register("anna")
    finally:
        session.close()


def refusal(address: str, ca: str | Path = "") -> str:
    """Return why a session fails: the same for a call and for a stream, which does not try again."""
    with pytest.raises(SessionError) as call:
        register(address, ca)
    session = Session(address, "token", ca=str(ca))
    with pytest.raises(SessionError) as stream:
        next(session.messages(), None)
    session.close()
    assert call.value.reason == stream.value.reason
    assert call.value.is_unreachable
    assert len(str(call.value).splitlines()) == 1
    return call.value.reason


def test_a_named_authority_is_trusted(secured: Secured) -> None:
    """With the file of its authority the referee answers."""
    assert register(secured.address, secured.authority.file)


def test_the_authorities_of_the_machine_are_trusted(secured: Secured, monkeypatch: pytest.MonkeyPatch) -> None:
    """`system` means what this machine trusts."""
    monkeypatch.setenv("SSL_CERT_FILE", str(secured.authority.file))
    assert register(secured.address, "system")


def test_tls_is_asked_for(secured: Secured) -> None:
    """Who comes without TLS is told to name an authority."""
    assert refusal(secured.address) == "TLS_NEEDED"


def test_tls_where_there_is_none(plain: RefereeProcess, secured: Secured) -> None:
    """Who wants TLS of a plain referee is told to leave it out."""
    assert refusal(plain.address, secured.authority.file) == "TLS_UNSUPPORTED"


def test_silence_says_nothing_of_tls(secured: Secured, monkeypatch: pytest.MonkeyPatch) -> None:
    """A referee that is too busy to answer, or something else at its address, is not said to speak no TLS."""
    monkeypatch.setattr(channel, "_HANDSHAKE_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        for ca in ("", str(secured.authority.file)):
            assert channel._why_not(address, ca).reason == "UNREACHABLE"


def test_another_authority_is_not_trusted(secured: Secured, tmp_path: Path) -> None:
    """A certificate by somebody else is refused, whoever else is trusted."""
    assert refusal(secured.address, Authority(tmp_path).file) == "CERTIFICATE_UNTRUSTED"


def test_renewed_certificates_are_used_at_once(secured: Secured) -> None:
    """Without a restart: an expired one, one for another host, a broken one that is passed over, a good one."""
    ca = secured.authority.file
    secured.authority.certify(*secured.files, expired=True)
    assert refusal(secured.address, ca) == "CERTIFICATE_EXPIRED"
    secured.authority.certify(*secured.files, host="referee.example")
    assert refusal(secured.address, ca) == "CERTIFICATE_WRONG_HOST"
    secured.files[1].write_text("no key")
    assert refusal(secured.address, ca) == "CERTIFICATE_WRONG_HOST"
    secured.authority.certify(*secured.files)
    assert register(secured.address, ca)


@pytest.mark.parametrize("command", [("bot", "run", "greedy"), ("bot", "run", "greedy", "--token", "t"), ("play",)])
def test_commands_say_it_in_one_line(secured: Secured, tmp_path: Path, command: tuple[str, ...]) -> None:
    """Exit code 3, and what to do."""
    more = ("--data", str(tmp_path)) if command == ("play",) else ()
    assert "--ca" in refused(*command, "--address", secured.address, *more, code=3)


@pytest.mark.parametrize(("name", "part"), [("no-such-file", "cannot be read"), ("README.md", "no certificate")])
def test_a_file_that_is_no_authority_is_said(name: str, part: str) -> None:
    """Exit code 2: nothing has been connected."""
    assert part in refused("bot", "run", "greedy", "--address", "127.0.0.1:1", "--ca", name)


def test_an_address_that_is_none_is_said() -> None:
    """HOST:PORT is meant."""
    assert "HOST:PORT" in refused("bot", "run", "greedy", "--address", "nonsense")


def test_a_referee_needs_a_whole_certificate(tmp_path: Path) -> None:
    """A certificate without a key, a missing file, a key of another certificate."""
    authority = Authority(tmp_path)
    cert, key, other = (tmp_path / name for name in ("cert.pem", "key.pem", "other.pem"))
    authority.certify(tmp_path / "unused.pem", other)
    authority.certify(cert, key)
    data = ("--listen", "127.0.0.1:0", "--data", str(tmp_path / "data"))
    assert "no tls_key" in one_line(serve(*data, "--tls-cert", str(cert)))
    assert "no-such-file" in one_line(serve(*data, "--tls-cert", "no-such-file", "--tls-key", str(key)))
    assert str(other) in one_line(serve(*data, "--tls-cert", str(cert), "--tls-key", str(other)))
