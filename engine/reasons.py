"""Why a play is refused: the one list of reasons, and the exception that carries one.

Order is order of precedence within a move: a refusal names the first that applies.
"""

from dataclasses import dataclass, field
from enum import Enum, unique


@unique
class Reason(Enum):
    """A reason for refusing a play; the value is the sentence for people.

    Placeholders in the sentence are keys of the violation's facts. May grow.
    """

    CARD_MALFORMED = "{card} is not a card that may stand here; cards are written as 9H, TC or JK"
    PLAY_EMPTY = "a play needs at least one move"
    MOVE_MALFORMED = "move {move} cannot be read: {problem}"
    MATCH_OVER = "the match is over"
    DECISION_STALE = "this decision has been answered; wait for the next one"
    NOT_YOUR_TURN = "it is the turn of seat {turn}"
    WRONG_PHASE = "{move} is not possible in phase {phase}: {due}"
    MOVE_NOT_IN_RULES = "{rules} has no such move as {move}"
    DRAW_NOT_ALONE = "draw must be the only move of its play"
    TAKE_TOO_DEEP = "take {depth} reaches too deep: {reach} may be taken here"
    ROW_BLOCKED = "a joker on top blocks the row; draw instead"
    TURN_UP_GONE = "the turned-up card has been taken"
    CARD_NOT_HELD = "{card} is not in the hand"
    MELD_UNKNOWN = "there is no meld m{meld} on the table; {melds}"
    JOKER_UNNAMED = "name the card that the joker stands for, such as JK={example}"
    MELD_INVALID = "{cards} is no meld: {problem}"
    TWO_TAKEN_CARDS = "{cards} uses more of the discards than {taken}; the other cards must have been in hand"
    SET_WITHOUT_RUN = "a discard goes into a set only beside a run of one's own; {cards} has none"
    NOT_OPENED = "open first: {needs}"
    LAY_OFF_AMBIGUOUS = "{cards} fits both ends of m{meld}: say low or high"
    LAY_OFF_INVALID = "{cards} cannot go on m{meld}: {problem}"
    JOKER_NOT_SWAPPABLE = "no joker in m{meld} stands for {card}; {jokers}"
    NO_CARD_LEFT_TO_DISCARD = "a card must remain to be discarded"
    NO_RUN_TO_GO_OUT = "going out needs a run on the table"
    PLAY_UNFINISHED = "the play must end in a discard"
    TAKEN_CARD_NOT_MELDED = "{card} was taken and must go into a new meld in this play"
    JOKER_NOT_MELDED = "the swapped joker must go into a new meld in this play"
    OPENING_TOO_LOW = "the opening lays {points} points and needs {bar}"
    NO_CLEAN_RUN = "the opening needs a run without a joker"
    MUST_GO_OUT = "this play must go out: {left} would remain in the hand"


Fact = str | int


@dataclass(frozen=True, slots=True)
class Violation:
    """One broken rule.

    Audience: the seat that submitted the play. Facts come from what that seat
    knows and never from a hidden card.

    Attributes:
        reason: Which rule.
        facts: Every variable of the sentence, snake_case keys.
    """

    reason: Reason
    facts: dict[str, Fact] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the sentence for people."""
        return self.reason.value.format_map(self.facts)


class RuleViolation(Exception):
    """A play was refused; nothing has changed."""

    def __init__(self, reason: Reason, **facts: Fact) -> None:
        """Refuse for *reason* with the variables of its sentence."""
        super().__init__(reason, facts)
        self.violation = Violation(reason, facts)

    def __str__(self) -> str:
        """Return the sentence for people, made when somebody asks: most refusals only steer a search."""
        return str(self.violation)
