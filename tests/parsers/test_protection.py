"""What protects a statement or a note by its words; in doubt it does."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.protection import NO, YES, marked, protects, understood

WORDS = st.text(st.characters(exclude_characters="`~", exclude_categories=["Cs"]), max_size=12)


@pytest.mark.parametrize(
    "text",
    [
        "Max — amant [sensible:: oui] discret",
        "AB [sensitive::yes] négatif",
        "AB (sensible:: oui)",
        "AB (Sensitive:: TRUE) #x",
        "AB [SENSIBLE:: Oui] [ville:: Lyon]",
        "AB [sensible:: oui].",
        "AB [sensible:: oui",
        "AB [sensible:: oui] [sensible:: non]",
        "AB [sensible:: non] [sensible:: oui]",
        "AB [sensible:: **oui**]",
        "AB [**sensible**:: oui]",
        "AB [sensible:: très]",
        "AB [sensible::]",
        "AB sensible:: oui",
        "AB\n\t- sensible:: oui",
        "AB\n\n  [sensible:: oui] plus tard",
        "a ` b [sensible:: oui]\n\t- c ` d",
        "AB\n\t```\n\tcode\n\t```\n\t[sensible:: oui]",
        "AB\n\t```\n\t[sensible:: oui]",
    ],
)
def test_a_field_that_says_so_protects_wherever_it_stands(text):
    assert marked(text)


@pytest.mark.parametrize(
    "text",
    [
        "Peau sensible",
        "Peau sensible : oui",
        "AB [sensible:: non]",
        "AB (sensitive:: no) x",
        "AB [sensible:: False]",
        "AB [couleur:: sensible]",
        "AB [insensible:: oui]",
        "insensible:: oui",
        "AB `[sensible:: oui]`",
        "AB ``x ` [sensible:: oui]`` y",
        "AB\n\t```\n\t[sensible:: oui]\n\t```\n\tx",
        "AB\n\t- ~~~ md\n\t  [sensible:: oui]\n\t  ~~~",
        "sensible:: à la lumière",
    ],
)
def test_code_a_clear_no_and_other_words_protect_nothing(text):
    assert not marked(text)


@given(WORDS, WORDS, st.sampled_from(sorted(YES)), st.sampled_from(["[]", "()"]))
def test_no_words_around_it_lift_the_protection(before, after, yes, around):
    assert marked(f"{before}{around[0]}sensible:: {yes}{around[1]}{after}")


@pytest.mark.parametrize(
    "value",
    [True, "Oui", " YES ", 1, "1", ["oui"], ["non", "oui"], [None, True], [["non"]], "x", 2, {"oui": None}],
)
def test_a_property_protects_by_a_yes_a_list_that_holds_one_and_what_is_neither(value):
    assert protects(value)


@pytest.mark.parametrize("value", [None, "", " ", False, "Non", "no", 0, [], [None], ["non", False, ""], {}])
def test_a_property_that_is_empty_or_a_clear_no_protects_nothing(value):
    assert not protects(value)


def test_what_is_understood_is_a_yes_a_no_nothing_or_a_list_of_these():
    assert all(understood(value) for value in [*YES, *NO, True, False, None, "", [], ["oui", "non", None]])
    assert not any(understood(value) for value in ["x", 2, ["oui", "x"], [["oui"]], {"oui": None}])
