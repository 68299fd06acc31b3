"""Why a note is not amended; nothing of it has changed then."""

from parsers.errors import ClavaireError
from renderers.words import Words


class Unamendable(ClavaireError):
    """A text cannot be changed as asked without changing more than that; the sentence is `amend.<code>`."""

    def __init__(self, code: str, /, **values: object) -> None:
        """Keep the code of the sentence and what fills it."""
        self.code, self.values = code, values
        super().__init__(", ".join([code, *(f"{name}: {value}" for name, value in values.items())]))

    def said(self, words: Words) -> str:
        """Give the sentence in a language."""
        return words.say(f"amend.{self.code}", **self.values)
