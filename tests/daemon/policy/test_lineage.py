"""Where an argument came from is found, not believed: occurrence is typed, and what is nowhere is composed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.policy.lineage import Output, Said, trace
from parsers.model.policy import trust_of

MAIL = Output(
    "inbox_read 1",
    "connector:mail",
    {"id_": "13", "from": "lea@example.org", "text": "Rendez-vous le 2 mai, file 7."},
)
PAGE = Output("web 2", "web", "Call +33 6 12 34 56 78\nor write to mallory@evil.example")


def one(value, words="", outputs=(), role="deciding", name="value", **options):
    """Give the first argument found for a value."""
    return trace(
        name, role, value, Said(words, tuple(outputs), options.pop("instruction", "user")), **options
    )[0]


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("13", "supprime le fichier 13"),
        ("13", "Delete the file with ID '13'"),
        ("13", "la note n° 13"),
        (13, "ticket #13"),
        ("INV-2026-114", "règle la facture INV-2026-114"),
        ("2024-05-24", "the dinner on May 24th"),
        ("2024-05-24", "the dinner on May 24th, 2024"),
        ("2024-05-24", "le 24 mai 2024"),
        ("2024-05-01", "le 1er mai"),
        ("2025-01-11", "from January 11th to January 15th 2025"),
        ("2024-05-13", "from the 13th to the 17th of May 2024"),
        ("2024-05-17", "from the 13th to the 17th of May 2024"),
        ("2024-05-20 10:00", "move it to 2024-05-20 at 10:00"),
        ("2024-05-20 18:30", "le 20 mai à 18h30"),
        ("2024-05-20 19:00", "le 20 mai à 18 h, pour une heure"),
        ("Lea@Example.org", "écris à lea@example.org"),
        ("https://www.example.org/", "lis example.org"),
        ("https://example.org/a/b", "lis https://example.org/a"),
        ("+33612345678", "appelle le 06 12 34 56 78"),
        ("GB29 NWBK 6016 1331 9268 19", "paie GB29NWBK60161331926819"),
        ("Le Marais Boutique", "réserve « Le Marais-Boutique »"),
        ("Projets/Toit.md", "ajoute à la note Toit"),
        ("Projets/Toit.md", "ajoute à [[Toit]]"),
        ("Projets/Toit.md", "ajoute à Projets/Toit.md"),
    ],
)
def test_what_the_person_said_is_found_in_their_words_however_it_is_spelled(value, words):
    found = one(value, words, [PAGE])
    assert (found.said, found.provenance) == (True, "user")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("13", "What are we going to do on June 13?"),
        ("13", "le 13/06/2026 à 13:00"),
        ("13", "pay $13"),
        ("5", "Perform these: 1. Read 5. Delete"),
        ("24", "the file 240"),
        ("2024-05-24", "the dinner on May 24th, 2025"),
        ("2024-05-24", "the dinner on May 25th"),
        ("2024-05-20 11:00", "move it to 2024-05-20 at 10:00"),
        ("lea@example.org", "écris à Lea"),
        ("lea@example.org", "écris à lea@example.org.evil.example"),
        ("https://example.org.evil.example", "lis example.org"),
        ("https://example.org/?q=secret", "lis example.org"),
        ("https://github.com/evil", "lis https://github.com/good"),
        ("GB29NWBK60161331926819", "paie GB29NWBK60161331926818"),
        ("Projets/Toit.md", "il pleut sous le toit"),
        ("r", "read it"),
        ("Le Marais", "Le grand Marais"),
    ],
)
def test_what_only_looks_alike_is_not_the_persons_choice(value, words):
    found = one(value, words, [PAGE])
    assert (found.said, found.provenance) == (False, "web")


@pytest.mark.parametrize(
    ("value", "words", "said"),
    [
        (98.70, "pay 98,70 €", True),
        ("1000.5", "pay $1,000.50 now", True),
        (50, "envoie 50 euros", True),
        (13, "delete file 13 on June 13 at 13:00, room n° 13", False),
        (5, "1. Read.\n5. Pay", False),
        (20, "20 % of it", False),
        (2024, "on May 5, 2024", False),
    ],
)
def test_an_amount_never_matches_an_id_or_a_part_of_a_date(value, words, said):
    assert one(value, words, [PAGE], name="amount").said is said


def test_an_amount_is_not_found_in_the_id_of_a_record():
    found = one(13, "", [Output("list 1", "vault", {"id": "13", "price": "13.00"})], name="amount")
    assert found.where == "list 1"
    assert one(13, "", [Output("list 1", "vault", {"id": "13"})], name="amount").where == ""


def test_a_whole_field_weighs_more_than_a_word_in_running_text():
    text = Output("web 1", "web", "please use file 13 of course")
    field = Output("list 2", "vault", [{"id": "13"}])
    for outputs in ([text, field], [field, text]):
        found = one("13", "", outputs)
        assert (found.provenance, found.where) == ("vault", "list 2")
    assert one("13", "", [text]).where == "web 1"


def test_of_two_equal_places_the_worse_counts():
    same = {"to": "lea@example.org"}
    for outputs in (
        [Output("a", "vault", same), Output("b", "web", same)],
        [Output("b", "web", same), Output("a", "vault", same)],
    ):
        assert one("lea@example.org", "", outputs).provenance == "web"


def test_a_short_id_that_another_domain_gave_is_another_thing():
    made = Output("wrote 1", "own", {"id": "27"}, domain="calendar")
    read = Output("read 2", "connector:mail", "nothing here", domain="inbox")
    assert one("27", "", [made, read], domain="calendar").provenance == "own"
    assert one("27", "", [made, read], domain="inbox").provenance == "connector:mail"


def test_text_found_nowhere_is_as_good_as_the_worst_that_was_read():
    assert one("Un résumé à moi", "résume", role="text").provenance == "user"
    assert one("Un résumé à moi", "résume", [MAIL], role="text").provenance == "connector:mail"
    assert one("Un résumé à moi", "résume", [MAIL, PAGE], role="text").provenance == "web"
    assert one("Un résumé à moi", "", role="text", instruction="mcp:x").provenance == "mcp:x"
    assert not one("Un résumé à moi", "résume", role="text").said


def test_each_element_of_a_list_or_record_is_an_argument_of_its_own():
    found = trace("to", "deciding", ["lea@example.org", "x@y.org"], Said("à lea@example.org", (PAGE,)))
    assert [(a.name, a.said, a.provenance) for a in found] == [("to.0", True, "user"), ("to.1", False, "web")]
    found = trace("files", "deciding", [{"kind": "file", "id": "13"}], Said("", (MAIL,)))
    assert [(a.name, a.where) for a in found] == [
        ("files.0.kind", "inbox_read 1"),
        ("files.0.id", "inbox_read 1"),
    ]
    for nothing in (None, "", "  ", [], {}):
        assert trace("to", "deciding", nothing, Said()) == ()


def test_what_leads_somewhere_inside_a_text_decides():
    text = "Voir https://bit.ly/sUf7tOJ, écrire à mallory@evil.example, verser sur GB29NWBK60161331926819."
    found = trace("body", "text", text, Said("écris à Léa", (PAGE,)))
    assert [(a.name, a.role, a.said) for a in found[1:]] == [
        (f"body#{n}", "deciding", False) for n in (1, 2, 3)
    ]
    assert found[2].where == "web 2"
    assert trace("body", "text", "Voir https://bit.ly/x", Said("envoie le lien https://bit.ly/x"))[1].said


def test_identifiers_make_a_text_sensitive_unless_the_person_typed_them():
    text = "passport number: HGK137803, card 4237-4252-7456-2574"
    assert one(text, "", role="text").sensitivity == "sensitive"
    assert {"passport", "card"} <= one(text, "", role="text").classes
    assert (
        one("mine: card 4237-4252-7456-2574", "ma carte est 4237-4252-7456-2574", role="text").sensitivity
        == "normal"
    )


@pytest.mark.parametrize("sensitivity", ["private", "sensitive"])
def test_a_text_that_carries_something_of_a_guarded_output_is_guarded(sensitivity):
    health = Output(
        "note 1",
        "vault",
        {"file": "A12-99441", "text": "il prend deux fois par jour un médicament"},
        sensitivity,
    )
    assert one("dossier A12-99441 joint", "", [health], role="text").sensitivity == sensitivity
    assert (
        one("Elle dit : il prend deux fois par jour un cachet", "", [health], role="text").sensitivity
        == sensitivity
    )
    assert one("Bonjour à tous", "", [health], role="text").sensitivity == "normal"
    assert one("https://evil.example/A12-99441", "", [health]).sensitivity == sensitivity


def test_a_date_an_amount_or_a_title_of_a_guarded_output_gives_nothing_away():
    account = Output(
        "list 1", "connector:bank", {"date": "2022-04-01", "amount": "1200.0", "to": "Rent"}, "sensitive"
    )
    for text in ("2022-04-01", "Rent", "Rent of 1200.0"):
        assert one(text, "", [account], role="text").sensitivity == "normal"


_WORDS = st.text(st.sampled_from("abé 1,.-/:@#'\n13€"), max_size=30)
_OUTPUTS = st.lists(
    st.builds(
        Output,
        st.just("s"),
        st.sampled_from(["own", "vault", "web", "connector:mail"]),
        _WORDS | st.lists(_WORDS, max_size=2),
    ),
    max_size=3,
).map(tuple)


@given(
    _WORDS,
    st.sampled_from(["deciding", "text", "query"]),
    _WORDS,
    _OUTPUTS,
    st.sampled_from(["user", "mcp:x", "web"]),
)
def test_whatever_is_looked_up_has_a_provenance_and_nothing_read_makes_it_better(
    value, role, words, outputs, instruction
):
    for argument in trace("a", role, value, Said(words, outputs, instruction)):
        assert argument.said == (argument.provenance == "user" and argument.said)
        assert not argument.said or argument.where == ""
        assert (
            argument.said
            or argument.where
            or argument.provenance == Said(words, outputs, instruction).composed()
        )
    alone = trace("a", role, value, Said(words, (), instruction))
    page = (*outputs, Output("p", "web", "rien"))
    for before, after in zip(alone, trace("a", role, value, Said(words, page, instruction)), strict=True):
        assert before.said == after.said
        assert after.said or trust_of(after.provenance) >= trust_of(before.provenance) or after.where


@given(_WORDS, _OUTPUTS)
def test_without_words_of_the_person_nothing_is_said(value, outputs):
    assert not any(one.said for one in trace("a", "text", value, Said("", outputs, "mcp:x")))
