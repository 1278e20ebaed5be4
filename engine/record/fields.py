"""Typed reading of the JSON of entries: nothing missing, nothing unknown, nothing of another type."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.record.canonical import Json


class EntryError(ValueError):
    """Bytes that are not an entry of a format this version reads."""


@dataclass(frozen=True, slots=True)
class Fields:
    """Typed access to the keys of a JSON object; every key must be used."""

    data: Mapping[str, Json]
    used: set[str] = field(default_factory=lambda: {"kind"})

    def _get(self, key: str) -> Json:
        if key not in self.data:
            raise EntryError(f"key {key} is missing")
        self.used.add(key)
        return self.data[key]

    def text(self, key: str) -> str:
        """Return text."""
        value = self._get(key)
        if not isinstance(value, str):
            raise EntryError(f"{key} is not text")
        return value

    def number(self, key: str) -> int:
        """Return an integer."""
        value = self._get(key)
        if not isinstance(value, int) or isinstance(value, bool):
            raise EntryError(f"{key} is not an integer")
        return value

    def flag(self, key: str) -> bool:
        """Return true or false."""
        value = self._get(key)
        if not isinstance(value, bool):
            raise EntryError(f"{key} is not true or false")
        return value

    def items(self, key: str) -> list[Json]:
        """Return a list."""
        value = self._get(key)
        if not isinstance(value, list):
            raise EntryError(f"{key} is not a list")
        return value

    def numbers(self, key: str) -> tuple[int, ...]:
        """Return a list of integers."""
        return numbers_in(key, self._get(key))

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of text."""
        values = self.items(key)
        if not all(isinstance(value, str) for value in values):
            raise EntryError(f"{key} is not a list of text")
        return tuple(value for value in values if isinstance(value, str))

    def object(self, key: str) -> dict[str, Json]:
        """Return an object."""
        value = self._get(key)
        if not isinstance(value, dict):
            raise EntryError(f"{key} is not an object")
        return value

    def texts_by_name(self, key: str) -> dict[str, str]:
        """Return an object whose values are text."""
        found = self.object(key)
        texts = {name: value for name, value in found.items() if isinstance(value, str)}
        if len(texts) != len(found):
            raise EntryError(f"{key} holds other things than text")
        return texts

    def need_no_more(self) -> None:
        """Refuse a key that nobody has read.

        Raises:
            EntryError: There is one.
        """
        unknown = set(self.data) - self.used
        if unknown:
            raise EntryError(f"unknown key {min(unknown)}")


def numbers_in(key: str, value: Json) -> tuple[int, ...]:
    """Return the integers of the list *value*, found under *key*."""
    if not isinstance(value, list) or not all(isinstance(item, int) and not isinstance(item, bool) for item in value):
        raise EntryError(f"{key} is not a list of integers")
    return tuple(item for item in value if isinstance(item, int))
