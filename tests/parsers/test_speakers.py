import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.speakers import speakers


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("**Caroline:** Hi there ^d1-1", ("Caroline",)),
        ("**Caroline**: Hi", ("Caroline",)),
        ("- Marie : oui\n- Paul : non\n- Marie : si", ("Marie", "Paul")),
        ("[10:32] Marie Dupont: ok", ("Marie Dupont",)),
        ("Caroline (10:32): salut", ("Caroline",)),
        ("> Émile\u00a0: oui", ("Émile",)),
        ("Voir http://exemple.org", ()),
        ("bonjour : à tous", ()),
        ("Rien de tel.\nMarie : oui", ()),
        ("12:30 rendez-vous", ()),
    ],
)
def test_who_speaks_is_named_before_a_colon_at_the_head_of_a_line(text, names):
    assert speakers(text) == names


@given(st.text())
def test_any_text_has_an_answer(text):
    assert all(speakers(text))
