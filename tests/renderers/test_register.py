"""Lines of the register as they are written and blanked."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.model.register import FIRST, Event
from parsers.register import parse_lines
from renderers.register import EventUnwritable, blank_line, render_line

SECRET = b"a" * 32
AT = "2026-11-30T10:29:14.318Z"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["text", "key", "value", "old_text", "id", "card"]), inner, max_size=3
        )
    ),
    max_leaves=10,
)


def line(body: dict[str, object]) -> bytes:
    return render_line(Event("fact.asserted", "person", body), 1, AT, FIRST, SECRET)


@pytest.mark.parametrize("name", ["seq", "at", "by", "op", "prev", "mac"])
def test_a_body_cannot_speak_for_the_envelope(name: str) -> None:
    with pytest.raises(EventUnwritable, match=name):
        line({name: 1})


@given(st.text())
def test_a_line_never_holds_a_line_ending(text: str) -> None:
    made = line({"text": text})
    assert b"\n" not in made
    assert b"\r" not in made


def words(value: object, *, blank: bool = False) -> list[object]:
    """What stands in the fields that hold words, at any depth."""
    match value:
        case dict():
            return [
                found
                for name, each in value.items()
                for found in words(each, blank=blank or name in ("text", "key", "value", "old_text"))
            ]
        case list():
            return [found for each in value for found in words(each, blank=blank)]
        case _:
            return [value] if blank else []


@given(st.dictionaries(st.sampled_from(["text", "key", "value", "old_text", "id", "card"]), JSON, max_size=4))
def test_blanking_leaves_no_word_keeps_the_rest_and_seals_again(body: dict[str, object]) -> None:
    before = line(body)
    after = blank_line(before, SECRET)
    (read,) = parse_lines("r.md", after, SECRET, 0, 1)
    assert read.sealed
    assert not any(words(json.loads(after)))
    assert list(json.loads(after)) == list(json.loads(before))
    assert blank_line(after, SECRET) == after
    kept = {
        name: value for name, value in body.items() if name == "id" and not isinstance(value, dict | list)
    }
    assert kept.items() <= json.loads(after).items()
