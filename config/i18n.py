"""The words shown to the person, one catalogue a language; numbers by Babel."""

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:  # its many types take longer to make than a search does
    from parsers.model.places import Problem

LOCALES = ("fr", "en")
"""Languages that have a catalogue; the first is the default."""


class Catalogue(NamedTuple):
    """Every sentence of one language; a value that renderers are given."""

    locale: str
    sentences: Mapping[str, str]

    def say(self, key: str, /, **values: object) -> str:
        """Give the sentence of a key with its placeholders filled.

        Raises:
            KeyError: the key is not in the catalogue, or a placeholder has no value.
        """
        return self.sentences[key].format(**values)

    def plural(self, key: str, number: int, /, **values: object) -> str:
        """Give `key.one` or `key.other`, as the language counts; `{number}` is filled too."""
        alone = abs(number) < 2 if self.locale == "fr" else abs(number) == 1
        return self.say(f"{key}.one" if alone else f"{key}.other", number=self.number(number), **values)

    def problem(self, problem: "Problem", /) -> str:
        """Give the one sentence that says what is wrong, where, and what to do."""
        values: dict[str, object] = dict(problem.values)
        place = f"{problem.path}:{problem.line}" if problem.line else problem.path
        return one_line(self.say(f"problem.{problem.code}", path=problem.path, place=place, **values))

    def number(self, number: float) -> str:
        """Give a number with the language's decimal mark and at most three decimals: `0,62`."""
        if isinstance(number, int) and abs(number) < 1000:
            return str(number)
        from babel.numbers import format_decimal  # noqa: PLC0415 - 25 ms that most commands never need

        return format_decimal(number, locale=self.locale)


def one_line(text: str) -> str:
    """Give a sentence on one line, whatever the values in it hold."""
    return " ".join(part.strip(" ") for part in text.splitlines() if part.strip(" "))


@cache
def catalogue(locale: str) -> Catalogue:
    """Give the catalogue of a language of `LOCALES`.

    Raises:
        KeyError: there is none for it.
    """
    if locale not in LOCALES:
        raise KeyError(locale)
    # `importlib.resources` would find the same file 10 ms later: clavaire is installed as files.
    source = Path(__file__).with_name("locales") / f"{locale}.json"
    return Catalogue(locale, json.loads(source.read_text("utf-8")))
