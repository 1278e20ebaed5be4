"""What is said of the protocol, in its comments and its page, is complete and true."""

import re
import subprocess
import sys
from pathlib import Path
from typing import Any, Final

import pytest
from google.protobuf import descriptor_pb2

from engine.reasons import Reason
from engine.record.fold import REFUSALS_A_DECISION
from referee import credit
from referee.errors import CODES
from referee.server import MESSAGE_LIMIT
from referee.services import play_service, table_service
from referee.streams import OUTBOX_LIMIT, STUCK_S
from rummyref.v1 import reasons_pb2
from tests.cli.command import ROOT
from wire import arrange, moves

PAGE: Final = (ROOT / "docs" / "protocol.md").read_text("utf-8")
MESSAGES: Final = descriptor_pb2.FileDescriptorProto.MESSAGE_TYPE_FIELD_NUMBER


def rows(heading: str) -> list[list[str]]:
    """Return the cells of the table under *heading*, without its head."""
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    lines = [line for line in section.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_every_reason_has_a_code_and_a_row() -> None:
    """The enum, the one table of codes and the page name the same reasons, the page in the order of the enum."""
    named = [name.removeprefix("REASON_") for name in reasons_pb2.Reason.keys()[1:]]
    told = [(name.strip("`"), code.strip("`")) for name, code, _ in rows("Reasons")]
    assert told == [(name, CODES[name].name) for name in named]
    assert {reason.name for reason in Reason} <= set(CODES) == set(named)
    assert all(what for _, _, what in rows("Reasons"))


@pytest.mark.parametrize("reason", Reason, ids=lambda reason: reason.name)
def test_the_enum_has_the_sentences_of_the_engine(reason: Reason) -> None:
    """The comment of a value is the sentence that people are told."""
    text = (ROOT / "proto" / "rummyref" / "v1" / "reasons.proto").read_text("utf-8")
    comment = re.search(rf"((?:  //.*\n)+)  REASON_{reason.name} = ", text)
    assert comment is not None
    said = " ".join(line.strip().removeprefix("// ") for line in comment[1].splitlines())
    assert said.lower() == f"{reason.value}.".lower()


@pytest.mark.parametrize(
    ("limit", "value"),
    [
        ("bytes of a message to the referee", f"{MESSAGE_LIMIT:,}"),
        ("time for the first `hello`", f"{play_service._HELLO_WITHIN_S:.0f} s"),
        ("`capacity` of a stream", f"{play_service._MOST_CAPACITY:,}"),
        ("moves of a play", f"{moves.MOST_MOVES}"),
        ("cards of a `lay` or `lay_off`", f"{moves.MOST_CARDS}"),
        ("cards of a hand in `Arrange`", f"{arrange.MOST_CARDS}"),
        ("refusals of a decision", f"{REFUSALS_A_DECISION}"),
        ("messages that wait for a reader", f"{OUTBOX_LIMIT:,}"),
        ("time for the transport to take a message", f"{STUCK_S:.0f} s"),
        (
            "messages of a player, on all its streams, that no decision asked for",
            f"{credit.BURST:,} at once, {credit.PER_SECOND} a second; each decision brings {credit.PER_DECISION} more",
        ),
        ("events that wait for a watcher", f"{table_service._WATCH_LIMIT:,}"),
        ("tables of a page of `ListTables`", f"{table_service._PAGE}"),
    ],
)
def test_the_limits_are_those_of_the_code(limit: str, value: str) -> None:
    """The page and, where they name it, the comments have the number that the referee goes by."""
    assert value in [told for name, told, _ in rows("Limits") if name == limit]


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[descriptor_pb2.FileDescriptorProto]:
    """Return the files of the API, comments included."""
    image = tmp_path_factory.mktemp("image") / "api.bin"
    protos = sorted(str(path) for path in (ROOT / "proto").rglob("*.proto"))
    protoc = [sys.executable, "-m", "grpc_tools.protoc", "-I", str(ROOT / "proto"), "--include_source_info"]
    subprocess.run([*protoc, f"--descriptor_set_out={image}", *protos], check=True)
    return list(descriptor_pb2.FileDescriptorSet.FromString(Path(image).read_bytes()).file)


def test_every_message_names_its_audience(files: list[Any]) -> None:
    """Each says who may see it: the referee, a seat, a player, whoever asked, or everybody."""
    silent = [
        f"{file.package}.{file.message_type[place.path[1]].name}"
        for file in files
        for place in file.source_code_info.location
        if list(place.path[:1]) == [MESSAGES] and len(place.path) == 2
        if not re.search(
            r"Audience: (the|that|a) (referee|seat|player|caller|organiser|owner)|Audience: public",
            place.leading_comments,
        )
    ]
    assert not silent
