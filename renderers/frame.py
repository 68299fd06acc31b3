"""A managed note's headings and empty sections: made once, at init; missing sections go at the end (vault-notes.md)."""

from collections.abc import Sequence

from parsers.model.notes import Section


def framed(
    text: str | None, present: Sequence[str], wanted: Sequence[tuple[str, str]], top: Sequence[str]
) -> str:
    """Give the note with every wanted section: (name, heading).

    `text` is None for a new note, which starts with the lines `top`; else what it holds stays as it is, and the
    sections that are not `present` are appended.
    """
    missing = [(name, heading) for name, heading in wanted if name not in present]
    if text is None:
        text, eol = "", "\n"
        lines = [line for part in top for line in (part, "")]
    else:
        eol = "\r\n" if "\r\n" in text else "\n"
        lines = []
        if missing and text and not text.endswith("\n"):
            text += eol
        if missing and text.strip("\ufeff \t\r\n") and not text.endswith(eol * 2):
            text += eol
    for name, heading in missing:
        lines += [
            f"## {heading}",
            f"<!-- clavaire:begin {name} -->",
            "",
            "",
            f"<!-- clavaire:end {name} -->",
            "",
        ]
    if lines:
        lines.pop()
    return text + "".join(line + eol for line in lines)


def first_place(text: str, section: Section) -> int:
    """Give where the first line of a section goes: before its end marker, between the blank lines of an empty one."""
    content = text[section.start : section.end]
    if content in ("\n\n", "\r\n\r\n"):
        return section.start + len(content) // 2
    return section.end
