"""Options that a table may set: declared by a family with type, range and default."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

OptionValue = int | bool | str
_MOST_DIGITS: Final = 9
NO_ROUNDS: Final = 0
"""Value of `rounds` and `target` where the match does not end that way."""


class OptionError(ValueError):
    """An option or preset that does not exist, or a value out of its range."""


@dataclass(frozen=True, slots=True)
class Option:
    """One option.

    Attributes:
        name: As tables write it.
        default: Value where nothing is said; its type is the option's type.
        choices: The values allowed, or empty where a range is meant.
        low: Least number allowed.
        high: Greatest number allowed.
        about: One line for people.
        none_is_zero: Whether 0 is allowed below *low* and means "not used".
        ends_match: Whether it is a way to end a match, of which a table has one.
    """

    name: str
    default: OptionValue
    about: str
    choices: tuple[OptionValue, ...] = ()
    low: int = 0
    high: int = 0
    none_is_zero: bool = False
    ends_match: bool = False

    @property
    def allowed(self) -> str:
        """What may be written, for people."""
        if isinstance(self.default, bool):
            return "true or false"
        if self.choices:
            return ", ".join(str(choice) for choice in self.choices)
        numbers = str(self.low) if self.low == self.high else f"{self.low} to {self.high}"
        return f"{'0 or ' if self.none_is_zero else ''}{numbers}"

    def read(self, value: OptionValue) -> OptionValue:
        """Return *value*, given as such or as text, checked.

        Raises:
            OptionError: It is of another type or outside the range.
        """
        read = self._converted(value)
        good = read is not None and (
            isinstance(self.default, bool)
            or (read in self.choices if self.choices else self._in_range(read))
        )  # fmt: skip
        if not good or read is None:
            raise OptionError(f"option {self.name} is {value!r}; allowed: {self.allowed}")
        return read

    def _converted(self, value: OptionValue) -> OptionValue | None:
        if isinstance(self.default, bool):
            if isinstance(value, str):
                return {"true": True, "false": False}.get(value.lower())
            return value if isinstance(value, bool) else None
        if isinstance(self.default, str):
            return value if isinstance(value, str) else None
        if isinstance(value, bool):
            return None
        if isinstance(value, str):
            digits = value.removeprefix("-")
            return int(value) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None
        return value

    def _in_range(self, value: OptionValue) -> bool:
        return isinstance(value, int) and (self.low <= value <= self.high or (value == 0 and self.none_is_zero))


Options = Mapping[str, OptionValue]


def common_options(low: int, high: int, players: int, rounds: int, target: int = NO_ROUNDS) -> tuple[Option, ...]:
    """Return the options that every family has, with a family's seats and match length."""
    return (
        Option("players", players, "number of seats", low=low, high=high),
        Option(
            "rounds",
            rounds,
            "rounds in a match; 0 for no fixed number",
            low=1,
            high=100,
            none_is_zero=True,
            ends_match=True,
        ),
        Option(
            "target",
            target,
            "the match ends when a total reaches it or falls to minus it; 0 for none",
            low=1,
            high=100_000,
            none_is_zero=True,
            ends_match=True,
        ),
        Option("show_hands", default=False, about="show all hands when a round is over"),
        Option("draw_streams", default=False, about="each seat draws from its own part of the stock"),
    )


def resolve(declared: tuple[Option, ...], preset: Options, given: Options) -> dict[str, OptionValue]:
    """Return the value of every declared option, in order of declaration.

    A match length given by the table turns every other one of the preset off.

    Raises:
        OptionError: Unknown name, bad value, or two ways to end a match.
    """
    by_name = {option.name: option for option in declared}
    for name in given:
        if name not in by_name:
            raise OptionError(f"unknown option {name}; there are {', '.join(by_name)}")
    read = {name: by_name[name].read(value) for name, value in given.items()}
    ends = [option.name for option in declared if option.ends_match and read.get(option.name)]
    if len(ends) > 1:
        raise OptionError(f"options {' and '.join(ends)} contradict each other; give one of them")
    values: dict[str, OptionValue] = {}
    for name, option in by_name.items():
        if name in read:
            values[name] = read[name]
        else:
            values[name] = NO_ROUNDS if ends and option.ends_match else option.read(preset.get(name, option.default))
    return values
