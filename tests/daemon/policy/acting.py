"""Actions, arguments and delegations to vary in tests of the policy."""

from dataclasses import replace

from daemon.policy.rules import decide
from parsers.model.policy import Action, Argument, Budget, Decision, Delegation

TODAY = "2026-11-30"
SAID = Argument("to", "deciding", "user", said=True)
OWN_TEXT = Argument("text", "text", "own", said=False, where="note_create 1")
VAULT = Argument("path", "deciding", "vault", said=False, where="Projets/Toit.md")
PLANTED = Argument("to", "deciding", "web", said=False, where="Clippings/x.md")
COMPOSED = Argument("to", "deciding", "web", said=False)
WEB_TEXT = Argument("text", "text", "web", said=False, where="Clippings/x.md")

WRITE = Action(
    "note_append", "vault", "WRITE", "internal", reversible=True, arguments=(SAID,), paths=("Réunions/a.md",)
)
SEND = Action("inbox_send", "inbox", "WRITE", "external", frozenset({"send"}), arguments=(SAID,))
POST = Action("board_post", "board", "WRITE", "external", reversible=True, arguments=(SAID,))
READ = Action("note_read", "vault", "READ", "internal", arguments=(SAID,), paths=("Réunions/a.md",))
LEAVE = Delegation(
    "d-4n7p1s9x",
    "vault",
    3,
    ("Réunions/**",),
    ("person", "mcp:claude-code"),
    review="2027-02-28",
    status="active",
)
CLIENT = replace(WRITE, origin="mcp:claude-code", instruction="mcp:claude-code", local_reader=False)


def decided(action: Action, level: int = 2, leave: tuple[Delegation, ...] = (), **budget: int) -> Decision:
    """Decide an action today; what is left of each delegation's budget is the same for all."""
    return decide(action, level, leave, {one.id: Budget(**budget) for one in leave}, TODAY)


def ruled(
    action: Action, level: int = 2, leave: tuple[Delegation, ...] = (), **budget: int
) -> tuple[int, str]:
    """Give the rule that decides and what it says."""
    found = decided(action, level, leave, **budget)
    return found.rule, found.kind
