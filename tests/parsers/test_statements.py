"""What one list item states: text, id, anchor, fields, key and value (vault-notes.md, Facts)."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.dates import period
from parsers.frame import frame_of
from parsers.profile import parse
from parsers.statements import Fields, Statement, as_item, reword, says_nothing

ID = "f-7h2k9qd3"


def section(text: str) -> str:
    return f"<!-- clavaire:begin facts -->\n{text}\n<!-- clavaire:end facts -->\n"


def states(text: str) -> Statement:
    whole = section(text)
    (spot,) = parse(whole, frame_of(whole)).statements
    return spot.says


def key(text: str) -> tuple[str | None, str | None]:
    said = states(f"- {text}").wording
    return said.key, said.value


def test_marker_id_and_trailing_fields_are_not_the_text():
    said = states(f"- Dentiste : Dr Martin [depuis:: 2026-09-01] ^{ID}")
    assert said.wording.text == "Dentiste : Dr Martin"
    assert (said.id, said.anchor, said.settled) == (ID, None, True)
    assert said.wording.fields == Fields(since=period("2026-09-01"))
    assert (said.wording.key, said.wording.value) == ("Dentiste", "Dr Martin")


def test_children_belong_to_the_text_as_they_are_written():
    said = states(f"- Préparer une réunion ^{ID}\n\t1. Créer la note du jour\n\t2. Relier : les participants")
    assert (
        said.wording.text
        == "Préparer une réunion\n\t1. Créer la note du jour\n\t2. Relier : les participants"
    )
    assert said.wording.key is None


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_lines_of_a_paragraph_are_joined_by_one_space(end):
    said = states(f"- pas de réunion  {end}  avant dix{end}heures ^p1")
    assert (said.wording.text, said.anchor, said.id) == ("pas de réunion avant dix heures", "p1", None)


# ids


@pytest.mark.parametrize(
    "line",
    [
        f"- ^{ID} thé vert",
        f"- thé ^{ID} vert",
        f"- thé vert ^{ID}  ",
        f"- thé ^{ID}\nvert",
        f"- thé\nvert ^{ID}",
        f"- thé\n  ^{ID}\n  vert",
        f"- ^{ID}\n  thé vert",
    ],
)
def test_an_id_of_ours_counts_anywhere_in_the_first_paragraph(line):
    said = states(line)
    assert (said.id, said.wording.text) == (ID, "thé vert")


@pytest.mark.parametrize("after", [".", ",", " !", "…", ")", "**", "(vert)"])
def test_what_is_typed_right_after_an_id_of_ours_is_text(after):
    said = states(f"- thé ^{ID}{after}")
    assert (said.id, said.settled) == (ID, False)
    assert said.wording.text in (f"thé{after}", f"thé {after}")


@pytest.mark.parametrize("after", ["x", "-x", "é", "_x", "^"])
def test_what_goes_on_is_another_id_or_a_word(after):
    assert states(f"- thé ^{ID}{after}").id is None


@pytest.mark.parametrize("marker", ["-", "*", "+", "1.", "2."])
def test_what_is_only_begun_below_is_no_text(marker):
    said = states(f"- Préparer une réunion ^{ID}\n\t{marker} ")
    assert (said.id, said.settled, said.wording.text) == (ID, True, "Préparer une réunion")
    said = states(f"- Préparer une réunion ^{ID}\n\t1. Relier\n\t{marker} ")
    assert said.wording.text == "Préparer une réunion\n\t1. Relier"


def test_an_id_of_ours_below_is_no_text_and_another_is():
    assert states(f"- thé\n\t- vert ^{ID}\n\t- noir ^p1").wording.text == "thé\n\t- vert\n\t- noir ^p1"


def test_an_id_elsewhere_than_at_the_end_is_not_settled():
    assert not states(f"- thé ^{ID} vert").settled
    assert states(f"- thé vert ^{ID}").settled
    assert not states(f"- thé ^{ID} ^f-00000000").settled


def test_an_id_in_a_child_or_in_code_is_text():
    assert states(f"- thé\n\t- vert ^{ID}").id is None
    assert states(f"- thé `^{ID}` vert").id is None
    assert states(f"- thé`` ` ^{ID} ``").id is None


@pytest.mark.parametrize("name", ["f-7h2k9qd", "f-7h2k9qdl", "F-7h2k9qd3", "f-7h2k9qd3x"])
def test_what_only_looks_like_an_id_of_ours_is_an_anchor(name):
    said = states(f"- thé ^{name}")
    assert (said.id, said.anchor) == (None, name)


def test_an_anchor_counts_at_the_end_only():
    assert states("- thé ^p1").anchor == "p1"
    said = states("- thé ^p1 vert")
    assert (said.anchor, said.wording.text) == (None, "thé ^p1 vert")
    assert states("- 2^10").anchor is None
    assert states("- thé^p1").wording.text == "thé^p1"


def test_an_anchor_and_an_id_may_stand_together():
    said = states(f"- thé ^p1 ^{ID}")
    assert (said.id, said.anchor, said.wording.text) == (ID, "p1", "thé")


# fields


@pytest.mark.parametrize(
    ("tail", "fields"),
    [
        ("[depuis:: 2026-09]", Fields(since=period("2026-09"))),
        ("[since:: 2026-09]", Fields(since=period("2026-09"))),
        ("[jusqu'à:: 2026]", Fields(until=period("2026"))),
        ("[jusqu’à:: 2026]", Fields(until=period("2026"))),
        (unicodedata.normalize("NFD", "[jusqu'à:: 2026]"), Fields(until=period("2026"))),
        ("[until:: 2026]", Fields(until=period("2026"))),
        ("[sensible:: oui]", Fields(sensitive=True)),
        ("[sensitive:: yes]", Fields(sensitive=True)),
        ("[Sensible:: non]", Fields(sensitive=False)),
        ("[revoir:: 2027-01-01]", Fields(review=period("2027-01-01"))),
        ("[review::2027-01-01]", Fields(review=period("2027-01-01"))),
        ("[until:: 2027][depuis:: 2026]", Fields(since=period("2026"), until=period("2027"))),
    ],
)
def test_trailing_fields_are_read_in_any_order_and_both_languages(tail, fields):
    said = states(f"- thé vert {tail} ^{ID}").wording
    assert (said.text, said.fields) == ("thé vert", fields)


@pytest.mark.parametrize(
    "text",
    [
        "thé [couleur:: vert]",
        "thé [depuis:: hier]",
        "thé [depuis:: 2026] vert",
        "thé [sensible:: peut-être]",
        "thé (depuis:: 2026)",
        "thé [depuis: 2026]",
        "thé `[depuis:: 2026]`",
    ],
)
def test_what_is_no_known_field_at_the_end_is_text(text):
    assert states(f"- {text} ^{ID}").wording.text == text


def test_an_unknown_field_at_the_end_ends_the_reading():
    said = states("- thé [depuis:: 2026] [couleur:: vert]").wording
    assert (said.text, said.fields) == ("thé [depuis:: 2026] [couleur:: vert]", Fields())


def test_a_field_that_stands_twice_counts_once():
    said = states("- thé [depuis:: 2025] [depuis:: 2026]").wording
    assert (said.text, said.fields.since) == ("thé [depuis:: 2025]", period("2026"))


# keys


@pytest.mark.parametrize("gap", ["", " ", "\u00a0", "\u202f"])
def test_a_key_ends_at_a_colon_with_or_without_a_space_before(gap):
    assert key(f"Dentiste{gap}: Dr Martin") == ("Dentiste", "Dr Martin")


@pytest.mark.parametrize(
    "text",
    [
        "sans deux-points",
        "rendez-vous à 14:30",
        "https://exemple.org/a: b",
        "voir https://exemple.org: page",
        "[[Note: titre]] à lire",
        "[lien : là](a.md)",
        "`code: x` à lancer",
        "k" * 61 + " : v",
        ": valeur",
        "Clé :",
        "std::vector : non".replace(" : non", ""),
        "Clé :: valeur",
    ],
)
def test_what_is_no_key_gives_none(text):
    assert key(text) == (None, None)


def test_a_key_may_have_sixty_characters_and_a_value_more_colons():
    assert key("k" * 60 + " : v") == ("k" * 60, "v")
    assert key("Clé : a : b") == ("Clé", "a : b")


def test_a_key_may_follow_a_finished_link_or_code():
    assert key("[[Note]] : valeur") == ("[[Note]]", "valeur")
    assert key("`x` : valeur") == ("`x`", "valeur")


# texts from elsewhere

_texts = st.text(st.sampled_from("ab é-*+#>`~<|=_[]().:!1 2^%\\\n\t&"), max_size=30)


@given(_texts)
def test_a_text_from_elsewhere_is_one_item_that_reads_back_the_same(text):
    line = as_item(text)
    if not line:
        return
    said = states(f"- {line} ^{ID}")
    assert said.id == ID
    assert "\n" not in line
    fields = reword(line)
    assert said.wording == fields


@pytest.mark.parametrize("text", ["<!-- caché -->", "vu <!-- caché -->", "%% caché %%", "- <!-- caché"])
def test_a_text_from_elsewhere_hides_nothing(text):
    line = as_item(text)
    assert not frame_of(section(f"- {line}")).comments
    assert "\\\\" not in line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (r"Dr Martin \<!-- caché --> fin", r"Dr Martin \<!-- caché --> fin"),
        (r"Dr Martin \\<!-- caché --> fin", r"Dr Martin \\\<!-- caché --> fin"),
        ('<span style="display:none">caché</span>', '\\<span style="display:none">caché\\</span>'),
        ("vu ![](https://exemple.org/p.png?q=secret)", "vu \\![](https://exemple.org/p.png?q=secret)"),
        ("vu ![[Note]] et [[Note]]", "vu \\![[Note]] et [[Note]]"),
        ("vu `= this.y` et `$= dv` et `code`", "vu \\`= this.y` et \\`$= dv` et `code`"),
        ("vu <% tp.x %>", "vu \\<% tp.x %>"),
        ("Dent \u202eétrevni", "Dent étrevni"),
        ("1 < 2 et a<b", "1 < 2 et a\\<b"),
    ],
)
def test_a_text_from_elsewhere_is_shown_as_it_is_written(text, line):
    assert as_item(text) == line


@given(_texts)
def test_a_text_from_elsewhere_is_escaped_once(text):
    assert as_item(as_item(text)) == as_item(text)


@pytest.mark.parametrize("text", ["", "  ", "[depuis:: 2026]", " [depuis:: 2026] [sensible:: oui] "])
def test_a_text_of_fields_alone_says_nothing(text):
    assert says_nothing(text)
    assert not says_nothing(f"x {text}")


@pytest.mark.parametrize(
    "text",
    [
        "\0",
        "\1\2",
        "\x7f\x85",
        "\u200b",
        "\ufeff\u2060",
        "\u202e",
        "\u2028",
        "\u3164",
        "\u2800",
        "\ufe0f",
        "\xad",
    ],
)
def test_what_no_reader_sees_says_nothing(text):
    assert says_nothing(text)
    assert says_nothing(f" {text} {text} [depuis:: 2026]")
    assert not says_nothing(f"{text}é")


@pytest.mark.parametrize("text", ["?", "😀", "❤\ufe0f", "田", "\\", "e\u0301", "\ue000"])
def test_a_sign_alone_says_something(text):
    assert not says_nothing(text)


def test_latex_and_backslashes_are_kept():
    text = r"note les sommes en LaTeX : \sum_{i=1}^{n} \1 \g<0>"
    assert as_item(text) == text
    assert states(f"- {text} ^{ID}").wording.text == text
