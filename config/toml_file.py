"""`config.toml` edited: one value changes; comments, order, line ends and every other value stay as written."""

import re
from typing import Any


def edited(before: str, section: str, name: str, value: Any) -> str:
    """Give the file with one value set; its section is added where it is missing."""
    import tomlkit  # noqa: PLC0415 - only `config set` writes

    mark = "\ufeff" if before.startswith("\ufeff") else ""
    document: Any = tomlkit.parse(before.removeprefix(mark))
    if section not in document:
        if document.body:
            document.add(tomlkit.nl())
        document.add(section, tomlkit.table())
    table = document[section]
    if name not in table:
        _add(table, name, value)
    elif isinstance(value, list) and isinstance(table[name], list):
        _amend(table[name], value)
    else:
        table[name] = value
    after = mark + tomlkit.dumps(document)
    crlf = "\r\n" in before and not re.search(r"(?<!\r)\n", before)
    return re.sub(r"(?<!\r)\n", "\r\n", after) if crlf else after


def _add(table: Any, name: str, value: Any) -> None:
    """Put a key after the last one; tomlkit alone adds it below comments that speak of the next section."""
    body = getattr(getattr(table, "value", None), "body", [])
    keys = [place for place, (key, _) in enumerate(body) if key is not None]
    tail = body[keys[-1] + 1 :] if keys else []
    del body[len(body) - len(tail) :]
    table[name] = value
    body.extend(tail)


def _amend(array: Any, wanted: list[str]) -> None:
    """Change only the items that differ, so that comments between the others stay."""
    for place in reversed(range(len(array))):
        if array[place] not in wanted:
            del array[place]
    for place, text in enumerate(wanted):
        if place >= len(array) or array[place] != text:
            array.insert(place, text)
    del array[len(wanted) :]
