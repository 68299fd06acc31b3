"""The words of a language, as renderers are given them."""

from typing import Protocol


class Words(Protocol):
    """A catalogue (`config.i18n.Catalogue`)."""

    def say(self, key: str, /, **values: object) -> str:
        """Give the sentence of a key."""
        ...

    def plural(self, key: str, number: int, /, **values: object) -> str:
        """Give `key.one` or `key.other`, as the language counts; `{number}` is filled too."""
        ...

    def number(self, number: float) -> str:
        """Give a number as the language writes it."""
        ...
