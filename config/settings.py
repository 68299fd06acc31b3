"""Settings: variables over `config.toml` over the defaults of `config.sections`, each with its origin.

A variable is `CLAVAIRE_SECTION__KEY`. Errors speak the language that the settings ask for.
"""

import math
import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from config.i18n import LOCALES, catalogue
from config.sections import (
    AtLeast,
    Backups,
    Brain,
    Cards,
    Connectors,
    Context,
    General,
    Index,
    Memory,
    OneOf,
    Policy,
    Privacy,
    Provenance,
    Recall,
    Runs,
    Watch,
)
from config.toml_file import edited
from parsers.errors import ClavaireError

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

_KIND_NAMES: dict[Any, str] = {
    bool: "bool",
    int: "int",
    float: "float",
    str: "str",
    tuple[str, ...]: "list",
    Mapping[str, str]: "table",
    Mapping[str, int]: "numbers",
}
Value = bool | int | float | str | tuple[str, ...] | Mapping[str, str] | Mapping[str, int]

_PROVENANCE = re.compile(r"vault|automation|web|(?:mcp|connector):[\w.?-]+")
ENV = "CLAVAIRE_"
DEFAULT = "default"
"""Origin of a value that nobody set."""


class ConfigError(ClavaireError):
    """Settings that cannot be used; the sentence names the key, where it stood and what to write instead."""

    def __init__(self, locale: str, code: str, /, **values: object) -> None:
        """Build the sentence `error.config.<code>` in a language."""
        self.code = code
        super().__init__(catalogue(locale).say(f"error.config.{code}", **values))


class Source:
    """Where settings were read, and how their file stood then."""

    __slots__ = ("environ", "path", "stamp")

    def __init__(self, environ: Mapping[str, str], path: Path) -> None:
        """Take both before anything is read: what is written meanwhile is then seen by `renewed`."""
        self.environ, self.path, self.stamp = environ, path, _stamp(path)


class Settings(NamedTuple):
    """Every setting, one attribute a section."""

    general: General = General()
    memory: Memory = Memory()
    watch: Watch = Watch()
    cards: Cards = Cards()
    index: Index = Index()  # type: ignore[assignment]  # a tuple's `index`, which nobody asks of settings
    privacy: Privacy = Privacy()
    provenance: Provenance = Provenance()
    policy: Policy = Policy()
    connectors: Connectors = Connectors()
    backups: Backups = Backups()
    runs: Runs = Runs()
    brain: Brain = Brain()
    recall: Recall = Recall()
    context: Context = Context()
    origins: Mapping[str, str] = MappingProxyType({})
    source: Source | None = None
    """None where no file was named."""

    def value(self, key: str) -> Value:
        """Give the value of `section.key`.

        Raises:
            ConfigError: there is no such setting; the nearest is named.
        """
        _known(self.general.locale, key, "config")
        section, name = key.split(".")
        found = getattr(getattr(self, section), name)
        value: Value = dict(found) if isinstance(found, Mapping) else found
        return value

    def origin(self, key: str) -> str:
        """Give where the value of `section.key` came from: `default`, the file's path or the variable.

        Raises:
            ConfigError: there is no such setting; the nearest is named.
        """
        _known(self.general.locale, key, "config")
        return self.origins.get(key, DEFAULT)


_SECTIONS: dict[str, Any] = {
    name: kind for name, kind in Settings.__annotations__.items() if name not in ("origins", "source")
}
_FIELDS: dict[str, Any] = {
    f"{section}.{name}": kind
    for section, one in _SECTIONS.items()
    for name, kind in one.__annotations__.items()
}
KEYS: tuple[str, ...] = tuple(_FIELDS)
"""Every setting as `section.key`, in the order they are shown."""


def load(environ: Mapping[str, str], path: Path | None) -> Settings:
    """Read the settings: variables over the file (which may be None or missing) over the defaults.

    Raises:
        ConfigError: the file is no TOML, or a key is unknown or its value cannot be; one sentence.
    """
    source = None if path is None else Source(environ, path)
    table = _table(path, _locale(environ, {}))
    locale = _locale(environ, table)
    values: dict[str, dict[str, Value]] = {section: {} for section in _SECTIONS}
    origins: dict[str, str] = {}
    found = [*_in_file(table, str(path), locale), *_in_environ(environ, locale)]
    for key, place, raw in found:
        section, name = key.split(".", 1)
        values[section][name] = _checked(locale, key, place, raw)
        origins[key] = place
    built = {section: kind(**values[section]) for section, kind in _SECTIONS.items()}
    return Settings(**built, origins=origins, source=source)


def renewed(settings: Settings) -> Settings:
    """Give the settings as they are now: the very same while their file is as it was when it was read.

    Raises:
        ConfigError: the file cannot be used; or it is gone or empty, as it is while a program writes it.
    """
    source = settings.source
    now = _stamp(source.path) if source else None
    if source is None or now == source.stamp:
        return settings
    if now is None:
        raise ConfigError(settings.general.locale, "gone", place=source.path)
    return load(source.environ, source.path)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    """Give what tells that a file was written; None where nothing stands in it."""
    try:
        found = os.stat(path)  # noqa: PTH116 - before every pass and every call: half of what `Path.stat` takes
    except OSError:
        return None
    return (found.st_mtime_ns, found.st_size, found.st_ino) if found.st_size else None


def set_value(path: Path, key: str, text: str, locale: str = LOCALES[0]) -> Value:
    """Write one setting into the file, whole or not at all; comments, order and every other value stay.

    `text` is the value as a variable would hold it: `false`, `12`, `Europe/Paris`, `["a", "b"]`.

    Raises:
        ConfigError: the key is unknown, the value cannot be, or the file cannot be read or written.
    """
    place = str(path)
    _known(locale, key, place)
    value = _checked(locale, key, place, _from_text(key, text))
    before = _text(path, locale)
    expected = _parsed(before, place, locale)
    section, name = key.split(".")
    if not isinstance(expected.setdefault(section, {}), dict):
        raise ConfigError(locale, "section", place=place, key=section)
    expected[section][name] = list(value) if isinstance(value, tuple) else value
    after = edited(before, section, name, expected[section][name])
    if _parsed(after, place, locale) != expected:
        raise ConfigError(locale, "unwritable_form", place=place, key=key)
    if after != before:
        _replace(path, after, locale)
    return value


def zone(settings: Settings) -> "ZoneInfo":
    """Give the time zone whose days count.

    Raises:
        ConfigError: none is set and the machine's cannot be read.
    """
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - commands that only read start without it

    if settings.general.timezone:
        return ZoneInfo(settings.general.timezone)
    from tzlocal import get_localzone  # noqa: PLC0415 - as above

    try:
        return get_localzone()
    except (LookupError, ValueError, OSError) as error:
        raise ConfigError(settings.general.locale, "machine_zone", key="general.timezone") from error


def _locale(environ: Mapping[str, str], table: Mapping[str, Any]) -> str:
    """Give the language for errors in settings still being read: the one asked for if there is one."""
    general = table.get("general")
    in_file = general.get("locale") if isinstance(general, dict) else None
    wanted = environ.get(f"{ENV}GENERAL__LOCALE", in_file)
    return next((locale for locale in LOCALES if locale == wanted), LOCALES[0])


def _table(path: Path | None, locale: str) -> dict[str, Any]:
    return {} if path is None else _parsed(_text(path, locale), str(path), locale)


def _text(path: Path, locale: str) -> str:
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise ConfigError(locale, "unreadable", place=path, reason=error.strerror) from error
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(locale, "encoding", place=path, line=line) from error


def _parsed(text: str, place: str, locale: str) -> dict[str, Any]:
    if not text:
        return {}
    import tomllib  # noqa: PLC0415 - 8 ms, and most people have no file

    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        line = int(at[1]) if at else text.rstrip().count("\n") + 1
        raise ConfigError(locale, "syntax", place=place, line=line) from error


def _in_file(table: Mapping[str, Any], place: str, locale: str) -> Iterator[tuple[str, str, Any]]:
    for section, content in table.items():
        if section not in _SECTIONS:
            inner = f"{section}.{next(iter(content))}" if isinstance(content, dict) and content else section
            raise _unknown(locale, inner, place)
        if not isinstance(content, dict):
            raise ConfigError(locale, "section", place=place, key=section)
        for name, raw in content.items():
            key = f"{section}.{name}"
            _known(locale, key, place)
            yield key, place, raw


def _in_environ(environ: Mapping[str, str], locale: str) -> Iterator[tuple[str, str, Any]]:
    for variable, text in sorted(environ.items()):
        section, separator, name = variable.removeprefix(ENV).partition("__")
        if variable.startswith(ENV) and separator:
            key = f"{section}.{name}".lower()
            _known(locale, key, variable)
            yield key, variable, _from_text(key, text)


def _known(locale: str, key: str, place: str) -> None:
    if key not in _FIELDS:
        raise _unknown(locale, key, place)


def _unknown(locale: str, key: str, place: str) -> ConfigError:
    nearest = max(KEYS, key=lambda known: _likeness(key, known))
    return ConfigError(locale, "unknown", place=place, key=key, nearest=nearest)


def _likeness(key: str, known: str) -> float:
    """Compare whole keys, and names alone: a right name in a wrong section is the likelier slip."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - 8 ms that only a mistake needs

    name, known_name = key.rpartition(".")[2], known.rpartition(".")[2]
    whole = SequenceMatcher(None, key, known).ratio()
    return whole + SequenceMatcher(None, name, known_name).ratio()


def _kind(key: str) -> tuple[Any, AtLeast | OneOf | None]:
    """Give a setting's type and the values that are allowed of it, None for all."""
    kind = _FIELDS[key]
    allowed = getattr(kind, "__metadata__", None)
    return (kind.__origin__, allowed[0]) if allowed else (kind, None)


def _from_text(key: str, text: str) -> Any:
    """Read a value written without TOML's quotes; what cannot be read comes back as the text it is."""
    kind, _ = _kind(key)
    if kind is str:
        return text
    if kind is bool:
        return {"true": True, "1": True, "false": False, "0": False}.get(text.strip().lower(), text)
    import tomllib  # noqa: PLC0415 - see `_parsed`

    try:
        table = tomllib.loads(f"value = {text.strip()}")
    except tomllib.TOMLDecodeError:
        return text
    return table["value"] if len(table) == 1 else text


def _checked(locale: str, key: str, place: str, raw: Any) -> Value:
    kind, allowed = _kind(key)
    value: Any = _typed(kind, raw)
    if value is None:
        expected = catalogue(locale).say(f"setting.kind.{_KIND_NAMES[kind]}")
        raise ConfigError(locale, "type", place=place, key=key, expected=expected, found=_shown(raw))
    if isinstance(allowed, AtLeast) and value < allowed:
        raise ConfigError(locale, "least", place=place, key=key, least=allowed, found=value)
    if isinstance(allowed, OneOf) and value not in allowed:
        raise ConfigError(
            locale, "choice", place=place, key=key, choices=", ".join(allowed), found=_shown(raw)
        )
    for reason, wrong in _unusable(key, value):
        raise ConfigError(locale, reason, place=place, key=key, found=_shown(wrong))
    checked: Value = value
    return checked


def _typed(kind: Any, raw: Any) -> Any:
    """Give the value as the setting's type, None if it is of another."""
    if kind == tuple[str, ...]:
        return tuple(raw) if isinstance(raw, list) and all(isinstance(one, str) for one in raw) else None
    if kind == Mapping[str, str]:
        return raw if isinstance(raw, dict) and all(isinstance(one, str) for one in raw.values()) else None
    if kind == Mapping[str, int]:
        return raw if isinstance(raw, dict) and all(type(one) is int for one in raw.values()) else None
    if kind is float:
        return float(raw) if type(raw) in (int, float) and math.isfinite(raw) else None
    return raw if type(raw) is kind else None


def _shown(raw: Any) -> str:
    text = str(raw).lower() if isinstance(raw, bool) else str(raw)
    return text if len(text) <= 60 else f"{text[:60]}…"


def _unusable(key: str, value: Any) -> Iterator[tuple[str, str]]:
    """Find values of the right type that only their use would refuse, hours later."""
    if key == "memory.sensitive_patterns":
        for pattern in value:
            try:
                re.compile(pattern)
            except re.error:
                yield "pattern", pattern
    if key == "provenance.folders":
        for said in value.values():
            if not _PROVENANCE.fullmatch(said):
                yield "provenance", said
    if key == "brain.services":
        yield from (("port", f"{name} = {port}") for name, port in value.items() if not 0 < port < 65_536)
    if key == "general.timezone" and value and not _is_zone(value):
        yield "zone", value


def _is_zone(name: str) -> bool:
    # `ZoneInfo` is found and told 3 ms later, by every command of whoever set a zone.
    if (
        re.fullmatch(r"[A-Z][A-Za-z_]+/[A-Z][A-Za-z_]+", name)
        and Path(f"/usr/share/zoneinfo/{name}").is_file()
    ):
        return True
    from zoneinfo import ZoneInfo  # noqa: PLC0415 - see `zone`

    try:
        ZoneInfo(name)
    except (LookupError, ValueError, OSError):
        return False
    return True


def _replace(path: Path, text: str, locale: str) -> None:
    target = Path(os.path.realpath(path))  # a link to a file kept elsewhere stays a link
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o600
        with draft.open("xb") as file:
            draft.chmod(mode)
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        draft.replace(target)
    except OSError as error:
        draft.unlink(missing_ok=True)
        raise ConfigError(locale, "unreadable", place=path, reason=error.strerror) from error
