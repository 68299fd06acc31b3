"""A step made ready to be carried out: planned once more, over exactly the notes it was shown for. Records nothing."""

from dataclasses import dataclass
from typing import Any

from config.i18n import Catalogue
from daemon.runs.looking import differing
from daemon.tools.effects import Effects, Look, Past
from daemon.tools.errors import sentence
from daemon.tools.tool import Tool
from daemon.vault.errors import VaultBusy, VaultMissing
from parsers.errors import ClavaireError
from parsers.model.runs import Step


class Unready(Exception):
    """Why a step is not begun: a catalogue key below `step.reason.`, and the words that go with it."""

    def __init__(self, reason: str, detail: str = "") -> None:
        super().__init__(reason)
        self.reason, self.detail = reason, detail


@dataclass(frozen=True, slots=True)
class Ready:
    """A step as it will be carried out, or as it was begun."""

    tool: Tool
    args: Any
    effects: Effects

    def proved(self, look: Look, key: str) -> bool:
        """Tell whether the tool's own proof is there; one that has none proves nothing, and that is said."""
        if self.tool.verify is None:
            return True
        try:
            return self.tool.verify(self.args, look, self.effects, key) is True
        except (VaultBusy, VaultMissing):
            raise
        except ClavaireError:
            return False

    def inverse(self, left: Effects) -> dict[str, Any] | None:
        """Give the call that undoes what the step left, as JSON values; None where none does."""
        call = self.tool.inverse(self.args, left) if self.tool.inverse else None
        return None if call is None else {"tool": call.tool, "args": dict(call.args)}


def ready(tool: Tool | None, step: Step, look: Look, words: Catalogue, *, begun: bool) -> Ready:
    """Give a step as it would be carried out now; one that was begun before, as it was begun.

    Raises:
        Unready: it is not what was shown, or its notes are not.
    """
    if tool is None:
        raise Unready("no_tool", step.tool)
    if changed := differing(step.before, look, step.expects if begun else None):
        raise Unready("changed", changed)
    try:
        args = tool.validated(step.args)
        effects = tool.plan(args, Past(look, step.before) if begun else look)
    except (VaultBusy, VaultMissing):
        raise
    except ClavaireError as error:
        raise Unready("impossible", sentence(error, words)) from None
    if dict(effects.before()) != dict(step.before) or dict(effects.after()) != dict(step.expects):
        raise Unready("not_as_shown")
    return Ready(tool, args, effects)


def as_begun(tool: Tool | None, step: Step, look: Look) -> Ready | None:
    """Give the step as it was begun, planned over the versions that stood there then; None where it cannot be."""
    before = Past(look, step.before)
    if tool is None or not before.complete:
        return None
    try:
        args = tool.validated(step.args)
        effects = tool.plan(args, before)
    except (VaultBusy, VaultMissing):
        raise
    except ClavaireError:
        return None
    return Ready(tool, args, effects) if dict(effects.after()) == dict(step.expects) else None
