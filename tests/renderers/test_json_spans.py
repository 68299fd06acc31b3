"""Another program's JSON changed: what was put in is there, and taken out again every byte is as it was."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.json_spans import spans
from renderers.json_spans import drop, exchange, put

OBJECTS = st.dictionaries(
    st.text(max_size=4), st.integers() | st.lists(st.integers(), max_size=2), max_size=4
)
STYLES = st.sampled_from([{}, {"indent": 2}, {"indent": "\t"}, {"indent": 4}])


@given(OBJECTS, STYLES, st.sampled_from(["", "\n"]))
def test_a_member_put_in_is_there_and_taken_out_again_every_byte_is_as_it_was(value, style, end):
    value.pop("ours", None)
    text = json.dumps(value, **style) + end
    after = put(text, spans(text), [{"a": [1]}], "ours")
    assert json.loads(after) == {**value, "ours": [{"a": [1]}]}
    whole = spans(after)
    assert drop(after, whole, len(whole.members) - 1) == text


@given(st.lists(st.integers(), max_size=4), st.integers(0, 3), STYLES)
def test_an_item_is_put_at_the_end_and_one_dropped_wherever_it_stands(value, place, style):
    text = json.dumps(value, **style)
    assert json.loads(put(text, spans(text), 7)) == [*value, 7]
    if place < len(value):
        assert json.loads(drop(text, spans(text), place)) == value[:place] + value[place + 1 :]


def test_what_is_put_in_is_indented_as_the_rest():
    text = '{\n\t"a": 1,\n\t"b": {\n\t\t"c": []\n\t}\n}\n'
    after = put(text, spans(text).member("b").member("c"), {"d": 1})
    assert after == '{\n\t"a": 1,\n\t"b": {\n\t\t"c": [\n\t\t\t{\n\t\t\t\t"d": 1\n\t\t\t}\n\t\t]\n\t}\n}\n'
    assert "\r\n\r\n" not in put(text.replace("\n", "\r\n"), spans(text.replace("\n", "\r\n")), 1, "x")


@pytest.mark.parametrize("value", ["é", 'x"y', 1, None])
def test_a_value_takes_the_place_of_another(value):
    text = '{"a":  "x" , "b": 2}'
    after = exchange(text, spans(text).member("a"), value)
    assert json.loads(after) == {"a": value, "b": 2}
    assert after.endswith(' , "b": 2}')
