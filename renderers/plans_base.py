"""Plans.base: an Obsidian Base that lists the plan notes by status; wholly ours (vault-notes.md)."""

import json

from parsers.plan import KIND
from renderers.words import Words

_VIEWS = {
    "waiting": ("awaiting_approval",),
    "active": ("approved", "running", "paused"),
    "ended": ("succeeded", "partially_succeeded", "failed", "cancelled", "expired", "refused"),
}
"""View → the statuses it lists; a last one lists all."""
_PROPERTY = "clavaire"
_COLUMNS = ("file.name", "note.status", "note.origin", "note.requested", "note.expires")


def render(plans_folder: str, words: Words) -> str:
    """Give the whole file, for the plan notes below a folder."""
    lines = ["filters:", "  and:", f"    - {_quoted(f'file.inFolder({_text(plans_folder)})')}"]
    lines += [f"    - {_quoted(f'note.{_PROPERTY} == {_text(KIND)}')}", "properties:"]
    for column in _COLUMNS:
        name = column.partition(".")[2]
        lines += [f"  {column}:", f"    displayName: {_text(words.say(f'plans.column.{name}'))}"]
    lines.append("views:")
    for name, statuses in _VIEWS.items():
        lines += _view(words.say(f"plans.view.{name}"), statuses)
    lines += _view(words.say("plans.view.all"), ())
    return "\n".join(lines) + "\n"


def _view(name: str, statuses: tuple[str, ...]) -> list[str]:
    filters = ["    filters:", "      or:"] if statuses else []
    filters += [f"        - {_quoted(f'note.status == {_text(one)}')}" for one in statuses]
    order = ["    order:", *(f"      - {column}" for column in _COLUMNS)]
    group = ["    groupBy:", "      property: note.status", "      direction: ASC"]
    return ["  - type: table", f"    name: {_text(name)}", *filters, *group, *order]


def _text(value: str) -> str:
    """A text, in an expression or in YAML."""
    return json.dumps(value, ensure_ascii=False)


def _quoted(expression: str) -> str:
    return "'" + expression.replace("'", "''") + "'"
