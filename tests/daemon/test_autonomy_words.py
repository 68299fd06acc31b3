"""Autonomie.md: what a line states is clavaire's to write; every other word on it is the person's and stays."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from tests.home import temporary

WORDS = [
    "parce que je suis prudente",
    "(à revoir avec Paul)",
    "until [[Paul]] is back",
    "#tag et 12",
    "· une raison",
    "%% pour moi %%",
    "<!-- pour moi -->",
    "\n  une suite à la ligne",
]


def settled(home):
    for _ in range(2):
        home.rest()
    return home.text(NAMES.autonomy)


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("level", [0, 1, 2, 3])
@pytest.mark.parametrize("crlf", [False, True])
def test_words_on_a_level_line_stay(vault, words, level, crlf):
    home = vault()
    home.rest()
    text = re.sub(r"vault : \d", lambda _: f"vault : {level} {words}", home.text(NAMES.autonomy), count=1)
    home.put(NAMES.autonomy, text.replace("\n", "\r\n") if crlf else text)
    again = settled(home)
    assert words.replace("\n", "\r\n" if crlf else "\n") in again
    assert settled(home) == again
    assert again.count("^level-vault\n") + again.count("^level-vault\r\n") == 1


def test_words_on_the_line_of_the_host_and_of_a_code_stay(vault):
    home = vault()
    home.rest()
    text = home.text(NAMES.autonomy)
    host = next(line for line in text.splitlines() if line.startswith("Machine hôte : "))
    home.put(NAMES.autonomy, re.sub(r"vault : \d", "vault : 3", text.replace(host, f"{host} à moi"), count=1))
    text = settled(home)
    assert f"{host} à moi" in text
    code = next(line for line in text.splitlines() if "^level-vault-code" in line)
    home.put(NAMES.autonomy, text.replace(code, code.replace("Code :  ", "Code : demander à Paul ")))
    text = settled(home)
    assert "\t- demander à Paul\n" in text
    assert code in text
    home.put(NAMES.autonomy, re.sub(r"vault : \d", "vault : 1", text, count=1))
    text = settled(home)
    assert "\t- demander à Paul\n" in text
    assert "level-vault-code" not in text
    assert settled(home) == text


@given(
    st.sampled_from(["vault : ", "Machine hôte : "]),
    st.text(st.sampled_from("abé 12·:[]()#*_`^-\t"), max_size=20),
)
def test_law_2_no_word_typed_on_a_line_is_lost(start, typed):
    with temporary({}) as home:
        home.rest()
        text = home.text(NAMES.autonomy)
        at = text.index(start)
        stop = text.index(" ^" if start == "vault : " else "\n", at)
        home.put(NAMES.autonomy, f"{text[:stop]} motx {typed} moty{text[stop:]}")
        again = settled(home)
        assert f"motx {typed} moty" in again
        assert settled(home) == again
