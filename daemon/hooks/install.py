"""Our hooks in an agent's settings: put in once, taken out exactly; every other byte stays, and what was is kept."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from config.i18n import Catalogue
from config.paths import NAMES
from daemon.hooks.clients import HOOKS, Agent, Hook, is_ours
from parsers.errors import ClavaireError
from parsers.json_spans import Span, spans
from renderers.json_spans import drop, exchange, put

_HOOKS = "hooks"
_NOTHING: Mapping[str, Any] = {}
_MOST = 10_000
"""Versions that are kept of one file."""


class SettingsUnreadable(ClavaireError):
    """An agent's settings are not what we can change without breaking them."""


class _Odd(ValueError):
    """A value that is there is not what hooks stand in."""


def with_hooks(agent: Agent, text: str, commands: Mapping[Hook, str]) -> str:
    """Give the settings with our hooks in them, once each.

    Raises:
        ValueError: the text is no JSON, or its hooks are not as this agent has them.
    """
    if _blank(text):
        text = json.dumps({**agent.begins, _HOOKS: {}}, indent=2) + "\n"
    for key, value in (*agent.begins.items(), (_HOOKS, {})):
        root = _object(spans(text))
        if root.member(key) is None:
            text = put(text, root, value, key)
    for hook, command in commands.items():
        text = _with_hook(agent, text, hook, command)
    return text


def _with_hook(agent: Agent, text: str, hook: Hook, command: str) -> str:
    event = agent.events[hook]
    hooks = _hooks(text)
    entries = hooks.member(event)
    if entries is None:
        return put(text, hooks, [agent.entry(command)], event)
    found = _our_entries(agent, _array(entries), hook)
    if not found:
        return put(text, entries, agent.entry(command))
    for one in found:
        for spelt in _spelt(one):
            if is_ours(spelt.value, hook, agent.name) and spelt.value != command:
                return _with_hook(agent, exchange(text, spelt, command), hook, command)
    return text


def without_hooks(agent: Agent, text: str, was: Mapping[str, Any] = _NOTHING) -> str:
    """Give the settings without our hooks; what held nothing but them goes with them, unless it `was` there.

    Raises:
        ValueError: as for `with_hooks`.
    """
    if _blank(text) or _object(spans(text)).member(_HOOKS) is None:
        return text
    before = text
    for hook in HOOKS:
        text = _without_hook(agent, text, hook, was.get(_HOOKS, _NOTHING))
    if text != before and spans(text).value[_HOOKS] == {} and _HOOKS not in was:
        text = _without(text, _HOOKS)
    return text


def as_it_was(agent: Agent, text: str, earlier: Iterable[str]) -> str | None:
    """Give the settings as they were before our hooks came, None where there were none; `earlier`: newest first.

    Where nothing but our hooks came, that is the earlier version, byte for byte; else ours alone is taken out.

    Raises:
        ValueError: as for `with_hooks`.
    """
    plain = without_hooks(agent, text)
    if plain == text:
        return text
    mine = {hook: spelt for hook in HOOKS if (spelt := _command(agent, text, hook)) is not None}
    known = [one for one in earlier if _is_free(agent, one)]
    for one in known:
        if with_hooks(agent, one, mine) == text:
            return one
    if with_hooks(agent, "", mine) == text:
        return None
    return _taken_out(agent, text, {} if _blank(known[0]) else spans(known[0]).value) if known else plain


def _is_free(agent: Agent, text: str) -> bool:
    """Whether these are settings that hooks can be put into, and none of ours is there."""
    try:
        with_hooks(agent, text, {})
        return without_hooks(agent, text) == text
    except (ValueError, RecursionError):
        return False


def _taken_out(agent: Agent, text: str, was: Mapping[str, Any]) -> str:
    text = without_hooks(agent, text, was)
    ours = [
        key for key, value in agent.begins.items() if key not in was and spans(text).value.get(key) == value
    ]
    if {key: value for key, value in spans(text).value.items() if key not in ours} == was:
        for key in ours:
            text = _without(text, key)
    return text


def _without(text: str, key: str) -> str:
    root = spans(text)
    return drop(text, root, [name for name, _, _ in root.members].index(key))


def _command(agent: Agent, text: str, hook: Hook) -> str | None:
    entries = _hooks(text).member(agent.events[hook])
    found = _our_entries(agent, _array(entries), hook) if entries else []
    spelt = (one.value for entry in found for one in _spelt(entry))
    return next((one for one in spelt if is_ours(one, hook, agent.name)), None)


def _blank(text: str) -> bool:
    return not text.strip("\ufeff \t\r\n")


def _without_hook(agent: Agent, text: str, hook: Hook, was: Mapping[str, Any]) -> str:
    event = agent.events[hook]
    while True:
        hooks = _hooks(text)
        entries = hooks.member(event)
        found = _our_entries(agent, _array(entries), hook) if entries else []
        if entries is None or not found:
            return text
        if event not in was and len(entries.items) == 1 and len(_spelt(found[0])) == 1:
            return drop(text, hooks, [key for key, _, _ in hooks.members].index(event))
        text = _without_entry(text, entries, found[0], hook, agent)


def _without_entry(text: str, entries: Span, entry: Span, hook: Hook, agent: Agent) -> str:
    group = entry.member(_HOOKS)
    if group is None or len(group.items) == 1:
        return drop(text, entries, entries.items.index(entry))
    mine = next(
        place
        for place, one in enumerate(group.items)
        if (spelt := one.member("command")) is not None and is_ours(spelt.value, hook, agent.name)
    )
    return drop(text, group, mine)


def _our_entries(agent: Agent, entries: Span, hook: Hook) -> list[Span]:
    return [
        one
        for one in entries.items
        if any(is_ours(spelt, hook, agent.name) for spelt in agent.commands(one.value))
    ]


def _spelt(entry: Span) -> list[Span]:
    """The commands of an entry, where they stand."""
    group = entry.member(_HOOKS)
    inner = group.items if group is not None else (entry,)
    found = (one.member("command") for one in inner)
    return [one for one in found if one is not None and isinstance(one.value, str)]


def _hooks(text: str) -> Span:
    found = _object(spans(text)).member(_HOOKS)
    assert found is not None
    return _object(found)


def _object(one: Span) -> Span:
    if not isinstance(one.value, dict):
        raise _Odd
    return one


def _array(one: Span) -> Span:
    if not isinstance(one.value, list):
        raise _Odd
    return one


# ---- on disk


def change(path: Path, agent: Agent, commands: Mapping[Hook, str] | None, words: Catalogue) -> Path | None:
    """Put our hooks into the settings at a path, or with None take them out; gives the backup, None when all is there.

    A file that did not exist has no backup: the path itself is given. One that we made and nobody changed goes again.

    Raises:
        SettingsUnreadable: they are no JSON that can be changed; nothing was.
        OSError: the system refuses.
    """
    target = Path(os.path.realpath(path))  # settings kept elsewhere stay a link
    data = target.read_bytes() if target.exists() else None
    if data is None and commands is None:
        return None
    try:
        before = (data or b"").decode("utf-8")
        after = (
            with_hooks(agent, before, commands)
            if commands is not None
            else as_it_was(agent, before, _earlier(target))
        )
    except (ValueError, RecursionError) as error:
        raise SettingsUnreadable(words.say("error.hook_settings", path=path)) from error
    if after == before:
        return None
    kept = _backup(target, data) if data is not None else target
    if after is None:
        target.unlink()
    else:
        _replace(target, after.encode("utf-8"))
    return kept


def _earlier(target: Path) -> Iterator[str]:
    """Give the versions that were kept beside a file, newest first."""
    for number in reversed(range(1, _MOST)):
        copy = _copy(target, number)
        with suppress(OSError, UnicodeDecodeError):
            yield copy.read_bytes().decode("utf-8")


def _copy(target: Path, number: int) -> Path:
    return target.with_name(f"{target.name}.{NAMES.application}-{number}.bak")


def _backup(target: Path, data: bytes) -> Path:
    """Keep what stood there beside it, under a name of its own."""
    for number in range(1, _MOST):
        copy = _copy(target, number)
        if copy.exists():
            if copy.read_bytes() == data:
                return copy
            continue
        with copy.open("xb") as file:
            copy.chmod(target.stat().st_mode & 0o777)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        return copy
    raise FileExistsError(str(target))


def _replace(target: Path, data: bytes) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
    draft = target.with_name(f"{NAMES.draft_prefix}{target.name}-{os.getpid()}")
    try:
        with draft.open("xb") as file:
            draft.chmod(mode)
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError:
        draft.unlink(missing_ok=True)
        raise
