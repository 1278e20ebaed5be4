"""More than a thousand players on one referee at once, most of them idle."""

import asyncio

from tests.referee.conftest import WITHIN_S, House, Stream
from tests.referee.test_play_stream import turn

PLAYERS = 1_100


async def test_over_a_thousand_streams_are_open_at_once(house: House) -> None:
    """The gRPC library cancels calls beyond a thousand unless told otherwise: here all are welcomed, and two play."""
    drafts = await asyncio.gather(*(house.referee.hall.players.register(f"p{number}") for number in range(PLAYERS)))
    tokens = [draft.token for draft in drafts]
    streams = [Stream(house.channel, token) for token in tokens]
    welcomes = await asyncio.wait_for(asyncio.gather(*(stream.hello() for stream in streams)), WITHIN_S)
    assert {welcome.player_id for welcome in welcomes} == {draft.player.id for draft in drafts}
    table_id = await house.table(tokens[0])
    for token in (tokens[0], tokens[-1]):
        await house.take(token, table_id)
    decision = (await streams[0].read("decision")).decision
    await turn(streams[0], decision)
    assert (await streams[-1].read("decision")).decision.seat == 1
    assert len(house.referee.hall.streams()) == PLAYERS
    assert not any(stream.call.done() for stream in streams)
    for stream in streams:
        stream.call.cancel()
