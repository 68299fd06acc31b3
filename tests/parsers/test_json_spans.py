"""JSON with the place of each value: what is read is what `json` reads, each value stands where its span says."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.json_spans import Span, spans

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
STYLES = st.sampled_from(
    [{}, {"indent": 2}, {"indent": "\t"}, {"separators": (" , ", " : ")}, {"ensure_ascii": False}]
)


def every(one: Span):
    yield one
    for _, _, inner in one.members:
        yield from every(inner)
    for inner in one.items:
        yield from every(inner)


@given(VALUES, STYLES, st.sampled_from(["", "\n", "\ufeff", " \r\n"]), st.sampled_from(["", "\n"]))
def test_each_value_is_read_and_stands_where_its_span_says(value, style, before, after):
    text = before + json.dumps(value, **style) + after
    whole = spans(text)
    assert whole.value == value
    for one in every(whole):
        assert json.loads(text[one.start : one.end]) == one.value
    for one in every(whole):
        for key, start, inner in one.members:
            assert json.loads("{" + text[start : inner.end] + "}") == {key: inner.value}


@pytest.mark.parametrize(
    "text", ["", "{", "[1,]", "{'a': 1}", "// mots\n{}", '{"a": 1, "a": 2}', "{} {}", "[NaN]"]
)
def test_what_is_no_json_or_says_a_key_twice_is_an_error(text):
    with pytest.raises(ValueError, match=r".*"):
        spans(text)
