import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.index import words
from daemon.index.irregular import IRREGULAR
from daemon.index.ranking import passages
from daemon.index.search import search
from daemon.index.words import Cutter, asked, cut, folded, language_of, stems

ORDINARY = st.text(st.one_of(st.characters(max_codepoint=255), st.sampled_from("’œŒ…–—“”'abc ééß\u0301会議")))


@given(ORDINARY)
def test_the_short_way_of_cutting_a_text_gives_what_the_long_one_gives(text):
    assert cut(text) == words._spaced_any(text).split()


def test_every_sign_is_cut_the_short_way_as_it_is_the_long_one():
    signs = [chr(code) for code in range(0x110000) if unicodedata.category(chr(code))[0] in "SPZC"]
    named = [sign for sign in signs if unicodedata.category(sign) not in ("Cn", "Co", "Cs")]
    assert len(named) > 8_000
    for sign in named:
        text = f"a{sign}b {sign}c d{sign} l'{sign} é{sign}{sign}"
        assert cut(text) == words._spaced_any(text).split(), hex(ord(sign))


def test_an_emoji_is_no_reason_to_cut_a_text_the_long_way(monkeypatch):
    monkeypatch.setattr(words, "_spaced_any", lambda text: 1 / 0)
    assert cut("Payer 📅 2026-12-01 l’œuf…") == ["payer", "2026", "12", "01", "l'", "oeuf"]


def test_a_word_that_is_asked_for_twice_counts_once():
    assert [(term.plain, term.named) for term in asked("tulipe noire et Tulipe").terms] == [
        ("tulipe", True),
        ("noire", False),
    ]


@pytest.mark.parametrize(
    "word",
    ["Андрей", "живёт", "ещё", "Київ", "Њујорк", "καφές", "Ελλάδα", "ǽ", "ǿre", "Việt", "Đặng", "İzmir"],
)
def test_a_word_with_marks_is_found_in_any_alphabet(settled, word):
    settled.put("N.md", f"On a lu « {word} » ici.\n")
    settled.settle()
    assert [one.path for one in search(settled.index.connection, word, 3)] == ["N.md"]
    assert [one.path for one in passages(settled.index.connection, word, 3)] == ["N.md"]


@given(st.text())
def test_any_text_is_cut_and_asked_for(text):
    asked(text)
    for language in words.LANGUAGES:
        assert all(stems(text, language))


@given(st.text(st.characters(codec="utf-8")))
def test_however_a_text_is_composed_its_words_are_the_same(text):
    forms = {tuple(stems(unicodedata.normalize(form, text), "fr")) for form in ("NFC", "NFD")}
    assert len(forms) == 1


@pytest.mark.parametrize(
    ("text", "others"),
    [
        ("l'été", ["L’ÉTÉ", "ete", "l'e\u0301te\u0301", "d’été"]),
        ("cœur", ["coeur", "CŒUR"]),
        ("fin", ["ﬁn"]),
        ("Straße", ["strasse"]),
        ("réunions", ["réunion", "REUNION", "la reunion"]),
        ("Caroline's", ["caroline", "Caroline’s"]),
    ],
)
def test_a_word_is_the_same_word_however_it_is_written(text, others):
    assert all(stems(other, "fr") == stems(text, "fr") for other in others)


def test_accents_are_folded_after_stemming():
    assert stems("préparées préparer", "fr") == ["prepar", "prepar"]


def test_articles_joined_by_an_apostrophe_are_no_words_but_a_letter_alone_is():
    assert cut("l'été, C++ et l'eau")[2:4] == ["c", "et"]
    assert stems("l'été, C++ et l'eau", "fr") == ["ete", "c", "eau"]


def test_tea_is_not_an_english_article():
    assert stems("le thé", "fr") == ["the"]
    assert [term.dull for term in asked("thé").terms] == [False]


def test_the_language_is_told_by_small_words_and_unsure_without():
    said = {
        "le chat est dans la maison": "fr",
        "the cat is in my house": "en",
        "été": "fr",
        "budget 2026": "",
    }
    assert {text: language_of(cut(text)) for text in said} == said


def test_a_query_of_an_unsure_language_is_stemmed_both_ways():
    (term,) = asked("meetings").terms
    assert term.stems == ("meeting", "meet")
    assert asked("the meetings that were held").terms[0].stems == ("meet",)


def test_words_side_by_side_are_phrases_across_those_that_say_nothing():
    assert asked("le roi de France").phrases == ("roi franc",)


def test_a_query_of_nothing_but_small_words_is_looked_for_as_it_stands():
    wanted = asked("être ou ne pas être")
    assert wanted.dull
    assert [term.written for term in wanted.terms][:2] == ["être", "ou"]


def test_a_long_run_is_asked_for_by_its_pairs_without_endings():
    assert [term.plain for term in asked("東京駅での会議").terms] == ["東京", "京駅", "駅で", "の会", "会議"]


def test_a_cutter_forgets_words_and_cuts_them_again(monkeypatch):
    monkeypatch.setattr(words, "_KEPT", 4)
    cutter = Cutter("fr")
    text = cut("un jardin, des jardiniers, une maison, des maisons, un jardin")
    assert cutter.stems(text) == ["jardin", "jardini", "maison", "maison", "jardin"]
    assert len(cutter) <= 4


@pytest.mark.parametrize(
    ("language", "word", "forms"),
    [
        ("fr", "naître", "né née nées NAQUIT naissance naitre"),
        ("fr", "construire", "construit construites construisaient constructions"),
        ("fr", "recevoir", "reçu recu reçoit recevront"),
        ("fr", "devenir", "devint devenue deviendra"),
        ("en", "go", "went gone goes going"),
        ("en", "child", "children"),
    ],
)
def test_irregular_forms_have_the_stem_of_their_word(language, word, forms):
    assert set(stems(forms, language)) == set(stems(word, language))


def test_what_is_a_frequent_word_of_its_own_is_no_form_of_another():
    for word in ("lit", "bois", "cours", "fonds", "pendant", "vit"):
        assert word not in IRREGULAR["fr"]
    assert not IRREGULAR["en"].keys() & {"rose", "lay", "ground"}


@pytest.mark.parametrize("language", words.LANGUAGES)
def test_a_word_of_which_forms_are_known_is_no_form_itself(language):
    known = IRREGULAR[language]
    for form, word in known.items():
        assert known.get(word, word) == word, form
        assert word != form


@given(st.text())
def test_folding_twice_changes_nothing_more(text):
    assert folded(folded(text)) == folded(text)
