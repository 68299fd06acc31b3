"""Cartes.md rendered: cards come and go whole, and what the person wrote beside them stays."""

import pytest

from config.i18n import catalogue
from parsers.cards import parse
from parsers.frame import frame_of
from parsers.model.cards import Card
from renderers.cards import render, view
from tests.daemon.recall.made import fact

FR, EN = catalogue("fr"), catalogue("en")
ID, OTHER = "c-00000001", "c-00000002"


def card(text: str, name: str = ID, **values: object) -> Card:
    known: dict[str, object] = {
        "id": name,
        "kind": "key",
        "status": "open",
        "subjects": ("f-00000001", "f-00000002"),
        "text": text,
        "origin": "person",
        "note": None,
        "key": "x",
        "grouped": False,
        "hidden": False,
        "opened_at": "2026-11-30T09:00:00.000Z",
        "answer": None,
        "answered_at": None,
    }
    return Card(**{**known, **values})  # type: ignore[arg-type]


def note(lines: str) -> str:
    return f"Avant\n<!-- clavaire:begin conflicts -->\n{lines}<!-- clavaire:end conflicts -->\nAprès"


def rendered(lines: str, *cards: Card, room: int = 20, words=(FR, EN)) -> str:
    text = note(lines)
    for turn in range(2):
        frame = frame_of(text, tasks=True)
        said = parse(text, frame)
        seen = view({c.id: c for c in cards}, lambda _: None, [one.id for one in said.cards], room, words)
        done = render(seen, text, frame, said)
        assert turn == 0 or done == text
        text = done
    assert text.startswith("Avant\n<!-- clavaire:begin conflicts -->\n")
    assert text.endswith("<!-- clavaire:end conflicts -->\nAprès")
    return text.split("-->\n", 1)[1].rpartition("<!--")[0]


WHOLE = f"""\
- Deux valeurs pour une même clé : « a » · « b » ^{ID}
	- les deux lignes restent tant que rien n'est coché
	- [ ] Les deux sont vrais ^{ID}-both
	- [ ] La nouvelle remplace l'ancienne ^{ID}-replace
"""


def test_an_open_card_is_written_whole_and_once():
    assert rendered("\n\n", card("a\nb")) == f"\n{WHOLE}\n"


def test_an_answered_card_leaves_whole():
    assert rendered(f"\n{WHOLE}\nlibre\n", card("a\nb", status="answered")) == "\n\nlibre\n"


def test_what_the_person_wrote_under_a_card_stays_when_it_leaves():
    mine = "\t- mon avis : les deux\n"
    done = rendered(WHOLE + mine, card("a\nb", status="answered"))
    assert mine.strip() in done
    assert ID not in done


def test_a_card_written_in_another_language_leaves_as_well():
    french = rendered("", card("a\nb"))
    assert rendered(french, card("a\nb", status="withdrawn"), words=(EN, FR)) == ""


def test_a_card_reworded_by_the_person_is_left_as_it_is():
    mine = WHOLE.replace("« a » · « b »", "mes mots")
    assert rendered(mine, card("a\nb")) == mine


def test_two_ticks_are_said_once_and_no_more_when_one_is_taken_back():
    both = WHOLE.replace("[ ]", "[x]")
    done = rendered(both, card("a\nb"))
    assert done == f"{both}\t- {FR.say('card.twice')} ^{ID}-twice\n"
    assert rendered(done.replace("[x] La", "[ ] La"), card("a\nb")) == both.replace("[x] La", "[ ] La")


def test_a_hidden_card_is_not_written_and_grouped_ones_are_counted():
    assert rendered("", card("a", hidden=True)) == ""
    grouped = [
        card(str(n), f"c-0000000{n}", grouped=True, opened_at=f"2026-11-30T09:00:0{n}.000Z")
        for n in range(1, 6)
    ]
    done = rendered("", *grouped, room=2)
    assert done.count(" ^c-0000000") == 2 * 3
    assert "… et 3 autres" in done
    assert "autres" not in rendered(done, *grouped[:2], room=2)


def proposal(language, about, *, told="Marie Kermoal (médecin)", text=None, status="open", **values):
    """The section of proposals with one card, in a note that holds `text` there."""
    waiting = card("Aime le thé\nAime le café", kind="proposal", origin="mcp:x", status=status)
    said_now = {"confidence": 0.6, "provenance": "mcp:x", **values}
    known = fact("f-00000002", "Aime le thé", entity_id=about, **said_now)
    note = f"<!-- clavaire:begin pending -->\n{text or ''}<!-- clavaire:end pending -->\n"
    frame = frame_of(note, tasks=True)
    said = parse(note, frame)
    seen = view(
        {ID: waiting},
        lambda _: known,
        [one.id for one in said.cards],
        20,
        (language,),
        about=lambda name: told if name == "e-00000001" else "",
    )
    return render(seen, note, frame, said).split("-->\n", 1)[1].rpartition("<!--")[0]


@pytest.mark.parametrize(("language", "says"), [(FR, "à propos de"), (EN, "about")])
def test_a_proposal_about_somebody_says_whom_below_its_first_line(language, says):
    done = proposal(language, "e-00000001")
    first, detail, about, *boxes = done.splitlines()
    assert first == f"- Aime le thé ^{ID}"
    assert about == f"\t- {says} Marie Kermoal (médecin) ^{ID}-about"
    assert [first, detail, *boxes] == proposal(language, None).splitlines()
    assert proposal(language, "e-00000001", text=done) == done
    whole = f"<!-- clavaire:begin pending -->\n{done}<!-- clavaire:end pending -->\n"
    (again,) = parse(whole, frame_of(whole, tasks=True)).cards
    assert (again.text, [box.choice for box in again.boxes]) == ("Aime le thé", ["keep", "refuse"])


def test_the_line_that_says_whom_leaves_with_its_card_whatever_they_are_called_by_then():
    done = proposal(FR, "e-00000001")
    assert proposal(FR, "e-00000001", text=done, told="Marie Lefort", status="answered") == ""
    assert proposal(FR, None, text=f"{done}\t- à voir\n", status="answered") == "\t- à voir\n"


@pytest.mark.parametrize(
    ("provenance", "french", "english"),
    [
        ("mcp:x", "", ""),
        ("user", "", ""),
        ("vault", "", ""),
        ("web", " ; d'après une page du web", "; based on a web page"),
        ("mcp:y", " ; d'après mcp:y", "; based on mcp:y"),
        ("connector:mail", " ; d'après connector:mail", "; based on connector:mail"),
    ],
)
@pytest.mark.parametrize(
    ("confidence", "sure"), [(0.6, (", confiance 0,6", ", confidence 0.6")), (1.0, ("", ""))]
)
def test_a_proposal_says_how_sure_it_is_and_where_it_comes_from_if_that_is_worse(
    provenance, french, english, confidence, sure
):
    known = {"provenance": provenance, "confidence": confidence}
    for language, says in (
        (FR, f"proposé par mcp:x{sure[0]} ; remplacerait « Aime le café »{french}"),
        (EN, f"proposed by mcp:x{sure[1]}; would replace “Aime le café”{english}"),
    ):
        done = proposal(language, None, **known)
        assert done.splitlines()[1] == f"\t- {says}"
        kept = {"confidence": 1.0, "provenance": "user"}
        assert proposal(language, None, text=done, status="answered", **kept) == ""


def test_what_the_person_wrote_below_a_proposal_stays_however_like_ours_it_is():
    mine = "\t- proposé par mcp:x, confiance 0,6 ; remplacerait « Aime le café » ; à revoir\n"
    assert proposal(FR, None, text=f"{proposal(FR, None)}{mine}", status="answered") == mine


def test_a_name_cannot_make_a_line_or_an_id_of_its_own():
    done = proposal(FR, "e-00000001", told="Marie ^c-00000009\n- [x] b %% <!-- -->")
    assert len(done.splitlines()) == 5
    assert proposal(FR, "e-00000001", text=done) == done


def test_a_quoted_text_cannot_make_a_line_or_an_id_of_its_own():
    done = rendered("", card("a ^f-12345678\n- [x] b\n<!-- clavaire:end conflicts -->"))
    assert len(done.split("\n")) == 5
    assert done.split("\n")[0].endswith(f" ^{ID}")
