"""A person's hand on Personnes.md, for tests: the note as its lines, and the edits people really make.

Lines are told apart by a rule of their own, on purpose not the parser's: in the section, a bullet in column 0 starts
somebody, an indented bullet a fact below them; deeper lines belong to it; every other line is free and says `libre`.
"""

import re
from collections.abc import Callable

from hypothesis import strategies as st

Act = Callable[[str], str]

OURS = re.compile(r"[ \t]?\^[ef]-[0-9a-hjkmnp-tv-z]{8}(?=[ \t\r\n]|\Z)")
SEEN = re.compile(r"[ \t]?\[(?:vu|seen):: ?\d{4}-\d\d-\d\d\]")
_ID = re.compile(r"\^([ef]-[0-9a-hjkmnp-tv-z]{8})(?=[ \t\r\n]|\Z)")
_BEGIN, _END = "<!-- clavaire:begin people -->", "<!-- clavaire:end people -->"
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"

names = st.sampled_from(["Marie", "marie", "Marie Dupont", "Paul", "Jeanne"])
indices = st.integers(0, 9)
_relations = st.sampled_from(
    ["", "", " — sœur", " — soeur", " — collègue", " — ami [depuis:: 2026-09]", " — ami [jusqu'à:: 2027]"]
)
_people = st.one_of(
    names, names, names, st.sampled_from(["[[Marie]]", "[[Gens/Marie|Marie]]", "Paul ^p1", SECRET])
)
_heads = st.builds(
    lambda name, relation: name.replace(" ^p1", "") + relation + (" ^p1" if "^" in name else ""),
    _people,
    _relations,
)
_facts = st.sampled_from(
    [
        "Aime le thé",
        "aime le thé.",
        "N'aime pas le thé",
        "Dentiste : Dr Martin",
        "Dentiste : Dr Petit",
        "Court [depuis:: 2026-09]",
        "Dort tard [jusqu'à:: 2026-12-02]",
        f"Jeton : {SECRET}",
        "Lit ^p2",
        "Marie",
    ]
)


def lines_of(text: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+\Z", text)


def bare(line: str) -> str:
    return SEEN.sub("", OURS.sub("", line))


def _split(text: str) -> tuple[list[str], list[str], list[str]] | None:
    """The lines before the section, its own, and those after; None where it is not whole."""
    lines = lines_of(text)
    marks = [line.rstrip() for line in lines]
    if marks.count(_BEGIN) != 1 or marks.count(_END) != 1 or marks.index(_BEGIN) > marks.index(_END):
        return None
    begin, end = marks.index(_BEGIN) + 1, marks.index(_END)
    return lines[:begin], lines[begin:end], lines[end:]


def eol_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _on_section(change: Callable[[list[str], str], list[str]]) -> Act:
    def act(text: str) -> str:
        parts = _split(text)
        if parts is None:
            return text
        before, own, after = parts
        return "".join((*before, *change(own, eol_of(text)), *after))

    return act


def _heads_at(own: list[str]) -> list[int]:
    return [index for index, line in enumerate(own) if re.match(r"[-*+] \S", line) and "libre" not in line]


def _facts_at(own: list[str]) -> list[int]:
    return [
        index for index, line in enumerate(own) if re.match(r"[ \t]+[-*+] \S", line) and "libre" not in line
    ]


def _block(own: list[str], start: int) -> int:
    """The line after what belongs to somebody: the indented lines, and blank ones among them."""
    stop = start + 1
    while stop < len(own) and own[stop][0] in " \t":
        stop += 1
    return stop


def _pick(places: list[int], index: int) -> int | None:
    return places[index % len(places)] if places else None


def add(head: str, below: tuple[str, ...], place: int, bullet: str, indent: str) -> Act:
    def change(own: list[str], eol: str) -> list[str]:
        lines = [f"{bullet} {head}{eol}", *(f"{indent}- {one}{eol}" for one in below)]
        at = _pick([*_heads_at(own), *([len(own)] if not own or "libre" not in own[-1] else [])], place)
        at = len(own) if at is None else at
        return [*own[:at], *lines, *own[at:]]

    return _on_section(change)


def add_below(fact: str, index: int, deeper: bool) -> Act:
    def change(own: list[str], eol: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is None:
            return own
        lines = [f"\t- {fact}{eol}", *([f"\t\t- plus bas{eol}"] if deeper else [])]
        return [*own[: at + 1], *lines, *own[at + 1 :]]

    return _on_section(change)


def reword(index: int, head: str, keep: bool) -> Act:
    def change(own: list[str], eol: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is None:
            return own
        ids = _ID.findall(own[at]) if keep else []
        own[at] = f"{own[at][0]} {head}" + "".join(f" ^{name}" for name in ids[:1]) + eol
        return own

    return _on_section(change)


def reword_fact(index: int, fact: str, keep: bool) -> Act:
    def change(own: list[str], eol: str) -> list[str]:
        at = _pick(_facts_at(own), index)
        if at is None:
            return own
        ids = _ID.findall(own[at]) if keep else []
        indent = own[at][: len(own[at]) - len(own[at].lstrip())]
        own[at] = f"{indent}- {fact}" + "".join(f" ^{name}" for name in ids[:1]) + eol
        return own

    return _on_section(change)


def delete(index: int, whole: bool, number: int) -> Act:
    def change(own: list[str], _: str) -> list[str]:
        for _turn in range(number):
            at = _pick(_heads_at(own), index)
            if at is not None:
                own = own[:at] + own[(_block(own, at) if whole else at + 1) :]
        return own

    return _on_section(change)


def delete_facts(index: int, number: int) -> Act:
    def change(own: list[str], _: str) -> list[str]:
        gone = {*_facts_at(own)[index % 5 :][:number]}
        return [line for at, line in enumerate(own) if at not in gone]

    return _on_section(change)


def duplicate(index: int) -> Act:
    def change(own: list[str], _: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        return own if at is None else [*own[: _block(own, at)], *own[at:]]

    return _on_section(change)


def move(index: int, place: int) -> Act:
    """Drag somebody, with what stands below, to another place."""

    def change(own: list[str], _: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is None:
            return own
        block, left = own[at : _block(own, at)], own[:at] + own[_block(own, at) :]
        to = _pick([*_heads_at(left), len(left)], place) or 0
        return [*left[:to], *block, *left[to:]]

    return _on_section(change)


def drag_fact(index: int, whom: int, keep: bool) -> Act:
    """Drag a fact below somebody else; or copy it there, id and all."""

    def change(own: list[str], _: str) -> list[str]:
        at = _pick(_facts_at(own), index)
        if at is None:
            return own
        line, left = own[at], list(own) if keep else own[:at] + own[at + 1 :]
        to = _pick(_heads_at(left), whom)
        return own if to is None else [*left[: to + 1], line, *left[to + 1 :]]

    return _on_section(change)


def promote(index: int) -> Act:
    """Shift-Tab on a fact: it becomes somebody."""

    def change(own: list[str], _: str) -> list[str]:
        at = _pick(_facts_at(own), index)
        if at is not None:
            own[at] = own[at].lstrip(" \t")
        return own

    return _on_section(change)


def demote(index: int) -> Act:
    """Tab on somebody: they become a fact of whoever stands above."""

    def change(own: list[str], _: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is not None:
            own[at] = "\t" + own[at]
        return own

    return _on_section(change)


def carry(index: int, head: str) -> Act:
    """Press Enter before the id of somebody's line and type."""

    def change(own: list[str], eol: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is None:
            return own
        ids = "".join(f" ^{name}" for name in _ID.findall(own[at]))
        return [*own[:at], OURS.sub("", own[at]).rstrip("\r\n") + eol, f"- {head}{ids}{eol}", *own[at + 1 :]]

    return _on_section(change)


def begin_item(index: int, marker: str) -> Act:
    """Press Enter and Tab at the end of a line: an item that says nothing yet."""

    def change(own: list[str], eol: str) -> list[str]:
        at = _pick([*_heads_at(own), *_facts_at(own)], index)
        if at is None:
            return own
        indent = own[at][: len(own[at]) - len(own[at].lstrip())]
        return [*own[: at + 1], f"{indent}\t{marker} {eol}", *own[at + 1 :]]

    return _on_section(change)


def type_after(index: int, words: str) -> Act:
    """Press End, where the id stands, and type."""

    def change(own: list[str], eol: str) -> list[str]:
        at = _pick([*_heads_at(own), *_facts_at(own)], index)
        if at is not None:
            own[at] = own[at].rstrip("\r\n") + words + eol
        return own

    return _on_section(change)


def write_freely(number: int, index: int, shape: int) -> Act:
    """Type what is neither somebody nor a fact: a heading above somebody, a paragraph below one."""

    def change(own: list[str], eol: str) -> list[str]:
        at = _pick(_heads_at(own), index)
        if at is None:
            return own
        if shape % 2:
            return [*own[:at], f"### libre {number}{eol}", *own[at:]]
        stop = _block(own, at)
        return [*own[:stop], f"{eol}", f"  libre {number}, sous la ligne{eol}", f"{eol}", *own[stop:]]

    return _on_section(change)


def flip_endings(text: str) -> str:
    return text.replace("\r\n", "\n") if "\r\n" in text else text.replace("\n", "\r\n")


def drop_ids(text: str) -> str:
    return OURS.sub("", text)


def drop_days(text: str) -> str:
    return SEEN.sub("", text)


def trim_end(text: str) -> str:
    return text.rstrip("\r\n")


def toggle_bom(text: str) -> str:
    return text[1:] if text.startswith("\ufeff") else "\ufeff" + text


def carried_over(people: str, profile: str, index: int, *, keep: bool) -> tuple[str, str]:
    """Move a line of Profil.md's sections below somebody."""
    lines, parts = lines_of(profile), _split(people)
    places = [at for at, line in enumerate(lines) if re.match(r"- .*\^f-", line)]
    at = _pick(places, index)
    heads = _heads_at(parts[1]) if parts else []
    if at is None or parts is None or not heads:
        return people, profile
    line = "\t" + lines[at].rstrip("\r\n") + eol_of(people)
    before, own, after = parts
    to = heads[index % len(heads)] + 1
    moved = "".join((*before, *own[:to], line, *own[to:], *after))
    return moved, profile if keep else "".join(lines[:at] + lines[at + 1 :])


def flow_back(people: str, profile: str, index: int, *, keep: bool) -> tuple[str, str]:
    """Move a fact below somebody to a section of Profil.md."""
    parts, end = _split(people), "<!-- clavaire:end facts -->"
    at = _pick(_facts_at(parts[1]), index) if parts else None
    if at is None or parts is None or end not in profile:
        return people, profile
    before, own, after = parts
    line = own[at].lstrip(" \t").rstrip("\r\n") + eol_of(profile)
    left = own if keep else own[:at] + own[at + 1 :]
    return "".join((*before, *left, *after)), profile.replace(end, line + end, 1)


_below = st.lists(_facts, max_size=2).map(tuple)
adds = st.builds(add, _heads, _below, indices, st.sampled_from("--*"), st.sampled_from(["\t", "  ", "    "]))
acts = st.one_of(
    adds,
    adds,
    st.builds(add_below, _facts, indices, st.booleans()),
    st.builds(add_below, _facts, indices, st.booleans()),
    st.builds(reword, indices, _heads, st.sampled_from([True, True, False])),
    st.builds(reword, indices, _heads, st.sampled_from([True, True, False])),
    st.builds(reword_fact, indices, _facts, st.sampled_from([True, True, False])),
    st.builds(delete, indices, st.booleans(), st.sampled_from([1, 1, 2, 5])),
    st.builds(delete_facts, indices, st.sampled_from([1, 1, 5])),
    st.builds(duplicate, indices),
    st.builds(move, indices, indices),
    st.builds(drag_fact, indices, indices, st.booleans()),
    st.builds(promote, indices),
    st.builds(demote, indices),
    st.builds(carry, indices, _heads),
    st.builds(begin_item, indices, st.sampled_from("-*+")),
    st.builds(type_after, indices, st.sampled_from([" aînée", ".", " (suite)"])),
    st.builds(write_freely, st.integers(1, 99), indices, indices),
    st.sampled_from([flip_endings, drop_ids, drop_days, trim_end, toggle_bom]),
)
"""One edit of Personnes.md that leaves its markers whole."""
