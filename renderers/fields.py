"""The trailing fields of a line that clavaire writes, in the words of a language (vault-notes.md, Facts)."""

from collections.abc import Mapping

from parsers.model.facts import Fact
from renderers.words import Words

_NAMES = ("since", "until", "sensitive", "review", "about", "seen", "yes")


def field_words(words: Words) -> dict[str, str]:
    """Give the names of the fields, and the word for yes."""
    return {name: words.say(f"field.{name}") for name in _NAMES}


def tail(fact: Fact, names: Mapping[str, str]) -> str:
    """Give the fields of a fact that are to be shown, each with a blank before it."""
    stated = {"since": fact.valid_from_text, "until": fact.valid_to_text}
    if fact.sensitivity == "sensitive":
        stated["sensitive"] = names["yes"]
    stated["review"] = fact.review
    return "".join(f" [{names[name]}:: {value}]" for name, value in stated.items() if value)
