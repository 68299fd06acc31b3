"""What a person is about to type, or typed after what is ours, in notes of ours: nothing of it is spoiled."""

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from config.paths import NAMES
from parsers.model.edits import Remember
from tests.home import FAST, Home
from tests.rest import check_people

_ID = re.compile(r" ?\^[ef]-[0-9a-hjkmnp-tv-z]{8}")
_DAY = re.compile(r" ?\[vu:: 2026-11-30\]")
_MARKERS = st.sampled_from(["-", "*", "+", "1.", "2.", "3)", "- ", "* ", "+  ", "1. "])


@pytest.fixture
def home(tmp_path):
    with_people = Home(tmp_path)
    with_people.rest()
    yield with_people
    with_people.close()


def own_removed(text: str) -> list[str]:
    return _DAY.sub("", _ID.sub("", text)).split("\n")


def section(text: str, name: str) -> str:
    return text.partition(f"<!-- clavaire:begin {name} -->\n")[2].partition("<!-- clavaire:end")[0]


def put(home: Home, lines: str, path: str, name: str) -> None:
    end = f"<!-- clavaire:end {name} -->"
    home.put(path, home.text(path).replace(end, lines + end))


def check_pass(home: Home, path: str, name: str, saved: str) -> None:
    """A pass keeps the person's bytes, a second one writes nothing, each id stands once, at the end of a line."""
    home.sync()
    text = home.text(path)
    assert own_removed(text) == own_removed(saved)
    again = home.sync()
    assert (again.records, again.written) == ((), ())
    lines = section(text, name).split("\n")
    assert all(_ID.sub("", line) == line or re.search(_ID.pattern + r"\Z", line) for line in lines)
    ids = _ID.findall(text)
    assert len(ids) == len(set(ids))


def below(draw: st.DrawFn, indent: str) -> list[str]:
    """Lines below an item: facts, and items only begun."""
    found = []
    for number in range(draw(st.integers(0, 3))):
        if draw(st.booleans()):
            found.append(f"{indent}{draw(_MARKERS)}")
        else:
            found.append(f"{indent}- fait {number}")
    return found


@st.composite
def people(draw: st.DrawFn) -> list[str]:
    indent, lines = draw(st.sampled_from(["\t", "  ", "    "])), []
    for name in ("Bob — x", "Ana", "Zoé — tante"):
        lines.append(f"{draw(st.sampled_from('-*+'))} {name}")
        for number, one in enumerate(below(draw, indent)):
            lines.append(one.replace("fait", f"{name[:3]} fait {number}"))
            if "fait" in one and draw(st.booleans()):
                lines.append(f"{indent}\t{draw(_MARKERS)}")
    return lines


@settings(max_examples=40)
@given(people(), st.sampled_from(["\n", "\r\n"]))
def test_items_that_are_only_begun_spoil_nobody(lines, eol):
    with tempfile.TemporaryDirectory(dir=FAST) as folder:
        home = Home(Path(folder).resolve())
        home.rest()
        home.write_people(home.people().replace("\n", eol))
        put(home, "".join(line + eol for line in lines), NAMES.people, "people")
        check_pass(home, NAMES.people, "people", home.people())
        check_people(home)
        assert {one.name for one in home.state.entities.values()} == {"Bob", "Ana", "Zoé"}
        assert sorted(home.facts()) == sorted(line.strip()[2:] for line in lines if "fait" in line)
        written = home.people().split(eol)
        for line in written:
            assert bool(_ID.search(line)) == ("fait" in line or any(n in line for n in ("Bob", "Ana", "Zoé")))
        home.close()


@pytest.mark.parametrize("marker", ["-", "- ", "* ", "+ ", "1. ", "2."])
def test_a_step_that_is_only_begun_spoils_no_procedure_and_the_next_pass_takes_it_in(home, marker):
    put(home, f"- Préparer une réunion\n\t{marker}\n- Ranger\n", NAMES.profile, "procedures")
    check_pass(home, NAMES.profile, "procedures", home.profile())
    assert home.facts() == ["Préparer une réunion", "Ranger"]
    name = home.fact("Préparer une réunion").id
    home.replace(f"\t{marker}\n", f"\t{marker.strip()} Créer la note\n", NAMES.profile)
    home.rest()
    assert "Ranger" in home.facts()
    if not marker.startswith("2"):  # CommonMark: only a list that starts with 1 ends a paragraph
        assert home.fact(f"Préparer une réunion\n\t{marker.strip()} Créer la note").id == name


def test_a_line_that_leaves_leaves_what_is_only_begun_below_it(home):
    put(home, "- Préparer\n- Ranger\n", NAMES.profile, "procedures")
    home.rest()
    home.replace(f"- Ranger ^{home.fact('Ranger').id}\n", f"- Ranger ^{home.fact('Ranger').id}\n\t* \n")
    home.forget(home.fact("Ranger").id)
    home.rest()
    assert "Ranger" not in home.profile()
    assert "\n\t* \n" in home.profile()


@pytest.mark.parametrize("after", [" aînée", ".", " (aînée)", " ; aînée !", "…"])
@pytest.mark.parametrize("before_id", [False, True])
def test_what_is_typed_at_the_end_of_somebodys_line_is_theirs_and_ours_moves_behind_it(
    home, after, before_id
):
    home.add_person("Marie — sœur", "Aime le thé")
    home.rest()
    marie, tea = home.person("Marie").id, home.fact("Aime le thé").id
    ours = f" [vu:: 2026-11-30] ^{marie}"
    typed = f" [vu:: 2026-11-30]{after} ^{marie}" if before_id else ours + after
    home.replace(ours, typed, NAMES.people)
    home.replace(f" ^{tea}", f" ^{tea}{after}", NAMES.people)
    home.sync()
    assert f"- Marie — sœur{after}{ours}\n\t- Aime le thé{after} ^{tea}\n" in home.people()
    assert (home.person("Marie").id, home.fact(f"Aime le thé{after}").id) == (marie, tea)
    (relation,) = [one for one in home.state.relations[marie] if one.retracted_at is None]
    assert relation.text == f"sœur{after}"
    again = home.sync()
    assert (again.records, again.written) == ((), ())


def test_tab_on_somebody_and_back_is_nothing_that_ours_becomes_text_by(home):
    home.add_person("Marie — sœur")
    home.add_person("Paul — ami", "Né en mai")
    home.rest()
    before, paul = home.people(), home.person("Paul").id
    home.replace("- Paul", "\t- Paul", NAMES.people)
    home.replace("\t- Né", "\t\t- Né", NAMES.people)
    home.rest()
    fact = home.fact("Paul — ami\n\t- Né en mai")
    assert fact.entity_id == home.person("Marie").id
    home.replace("\t- Paul", "- Paul", NAMES.people)
    home.replace("\t\t- Né", "\t- Né", NAMES.people)
    home.rest()
    assert home.people() == before
    assert home.person("Paul").id == paul


@pytest.mark.parametrize("origin", ["person", "mcp:x"])
@pytest.mark.parametrize("name", ["", "   ", "[[]]", "—", "^e-", "^e-00000001", "[depuis:: 2020]", "— sœur"])
def test_nobody_is_made_of_a_name_that_is_none(home, origin, name):
    outcome = home.sync((), [Remember("Aime le thé", "fact", origin, 0.9, about=name)])
    assert [one.op for one in outcome.records] == ([] if origin == "person" else ["run.recorded"])
    assert (home.state.entities, home.facts(), home.open_cards()) == ({}, [], [])
