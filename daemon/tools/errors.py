"""Why a tool will not do what it was asked: one sentence, from the catalogue."""

from config.i18n import Catalogue, catalogue
from daemon.vault.errors import VaultError
from parsers.errors import ClavaireError


class ToolError(ClavaireError):
    """A call that cannot be: a bad argument, a target that is no note, a note that says something else.

    The sentence is `tool.error.<code>` in the catalogue, filled with `values`.
    """

    def __init__(self, code: str, /, **values: str) -> None:
        """Keep the catalogue key and its values; `str` gives the sentence in English."""
        self.code, self.values = code, values
        super().__init__(catalogue("en").say(f"tool.error.{code}", **values))

    def said(self, words: Catalogue) -> str:
        """Give the sentence in the language of `words`."""
        return words.say(f"tool.error.{self.code}", **self.values)


class StepFailed(ClavaireError):
    """A change could not be carried out: its note holds neither the bytes before nor those after it."""

    def __init__(self, path: str) -> None:
        """Keep the note that is in the way."""
        self.path = path
        super().__init__(catalogue("en").say("tool.error.target_changed", path=path))

    def said(self, words: Catalogue) -> str:
        """Give the sentence in the language of `words`."""
        return words.say("tool.error.target_changed", path=self.path)


def sentence(error: ClavaireError, words: Catalogue) -> str:
    """Give what is wrong in the language of `words`, for every error that planning or applying a tool raises."""
    if isinstance(error, VaultError):
        return words.problem(error.problem)
    said = getattr(error, "said", None)
    return str(said(words)) if callable(said) else str(error)
