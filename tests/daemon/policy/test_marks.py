"""R-P01: taint follows the bytes, paragraph by paragraph."""

from hypothesis import given
from hypothesis import strategies as st

from daemon.policy import marks as policy
from daemon.policy.marks import Marks, inherited, paragraphs, written
from parsers.model.register import Record

WEB = "Un paragraphe venu du web, avec assez de mots."
OWN = "Un paragraphe de la main de la personne."


def put(marks: Marks, body: dict[str, object]) -> None:
    policy.fold(marks, Record(1, "", "mark.put", "scheduled", body))


def marked(text: str = WEB, note: str = "a.md") -> Marks:
    marks = Marks()
    body = written("", text, "web", note)
    assert body is not None
    put(marks, body)
    return marks


def test_what_a_step_writes_keeps_its_provenance_where_it_stands() -> None:
    assert marked().worst("a.md", f"{OWN}\n\n{WEB}\n", "vault") == "web"
    assert marked().worst("a.md", f"{OWN}\n", "vault") == "vault"


def test_layout_case_and_punctuation_do_not_wash_a_paragraph() -> None:
    assert marked().worst("a.md", f"> {WEB.upper().replace(',', ' ;')}\n", "vault") == "web"


def test_a_long_paragraph_is_known_in_any_note_a_short_one_only_where_it_was_written() -> None:
    assert marked().worst("b.md", WEB, "vault") == "web"
    assert marked("oui").worst("b.md", "oui", "vault") == "vault"
    assert marked("oui").worst("a.md", "oui", "vault") == "web"


def test_a_reworded_paragraph_inherits_the_mark() -> None:
    marks = marked()
    before, now = paragraphs(f"{OWN}\n\n{WEB}"), paragraphs(f"{OWN}\n\nTout autre chose, écrit autrement.")
    for body in inherited(marks, "a.md", before, now):
        put(marks, body)
    assert marks.of("a.md", now).keys() == {now[1]}


def test_with_several_new_paragraphs_all_inherit() -> None:
    before, now = paragraphs(WEB), paragraphs("Première moitié du texte.\n\nSeconde moitié du texte.")
    (body,) = inherited(marked(), "a.md", before, now)
    assert set(body["hashes"]) == set(now)


def test_nothing_inherits_while_the_marked_paragraph_still_stands() -> None:
    assert inherited(marked(), "a.md", paragraphs(WEB), paragraphs(f"{WEB}\n\n{OWN}")) == []


def test_with_the_index_forgotten_every_unmarked_paragraph_may_be_the_rewording() -> None:
    (body,) = inherited(marked(), "a.md", None, paragraphs(OWN))
    assert body["provenance"] == "web"


def test_only_the_person_lifts_a_mark() -> None:
    marks = marked()
    policy.fold(
        marks, Record(2, "", "mark.lifted", "person", {"note": "a.md", "hashes": list(paragraphs(WEB))})
    )
    assert marks.worst("a.md", WEB, "vault") == "vault"


def test_what_the_person_or_the_vault_says_is_not_marked() -> None:
    assert written("", WEB, "user", "a.md") is written("", WEB, "own", "a.md") is None


@given(st.lists(st.sampled_from(["web", "mcp:x", "connector:mail"]), min_size=1, max_size=4))
def test_a_mark_never_becomes_milder(provenances: list[str]) -> None:
    marks = Marks()
    for one in provenances:
        put(marks, written("", WEB, one, "a.md") or {})
    worst = marks.worst("a.md", WEB, "vault")
    assert worst == ("web" if "web" in provenances else max(provenances, key=lambda p: p.startswith("conn")))


def test_rows_give_the_marks_back() -> None:
    assert policy.marks_of(policy.rows_of(marked())) == marked()
