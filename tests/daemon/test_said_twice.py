"""What stands twice counts once: a line that says a known fact again is never taken for another that just left."""

import contextlib
import random

import pytest

from config.paths import NAMES
from daemon.memory.pairing import alive
from parsers.model.edits import Forget, Remember
from parsers.model.facts import Fact
from tests.home import Home
from tests.person import drop_ids
from tests.rest import check_another_process, check_people, check_reading
from tests.seams import Crash, crash_at

TEA = "Aime le thé"
AGENT = Remember(TEA, "fact", "mcp:x", 0.6)


@pytest.fixture
def home(vault) -> Home:
    """Marie, of whom one thing stands twice."""
    home = vault()
    home.add_person("Marie", TEA, TEA)
    home.rest()
    return home


def known(home: Home) -> list[Fact]:
    latest = (versions[-1] for versions in home.state.facts.values())
    return sorted((one for one in latest if alive(one)), key=lambda one: one.entity_id or "")


def check(home: Home) -> None:
    """Another save of the note says nothing new, nor does an index made anew."""
    home.rest()
    check_reading(home)
    for path in (NAMES.people, NAMES.profile):
        home.put(path, f"{home.text(path)}\n")
    home.rest()
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def test_what_an_agent_proposed_and_the_person_refused_is_not_known_because_a_line_says_it_of_another(home):
    """Found by a random story: the next save confirmed the agent's word, about somebody it never named."""
    home.sync((), [AGENT])
    home.tick(TEA, "refuse")
    check(home)
    assert [(fact.text, fact.source) for fact in known(home)] == [(TEA, "user")]


def test_a_refused_word_typed_by_the_person_is_their_own(home):
    home.sync((), [AGENT])
    home.tick(TEA, "refuse")
    home.add_line(f"- {TEA}")
    check(home)
    assert [(fact.entity_id is None, fact.source) for fact in known(home)] == [
        (True, "user"),
        (False, "user"),
    ]


def test_a_value_typed_after_a_refusal_replaces_nothing(vault):
    home = vault()
    home.sync((), [Remember("Dentiste : Dr Petit", "fact", "mcp:x", 0.6)])
    home.tick("Dentiste", "refuse")
    home.add_line("- Dentiste : Dr Roux")
    home.rest()
    assert [(fact.text, fact.supersedes) for fact in known(home)] == [("Dentiste : Dr Roux", None)]


def test_a_refused_update_leaves_the_person_s_own_fact_its_history(vault):
    """The card was about their fact too: it is the agent's word that was refused, not theirs."""
    home = vault()
    home.add_line("- Dentiste : Dr Petit")
    home.rest()
    (mine,) = known(home)
    home.sync((), [Remember("Dentiste : Dr Faux", "fact", "mcp:x", 0.6, replaces=mine.id)])
    home.tick("Dentiste", "refuse")
    home.write_profile("".join(x for x in home.profile().splitlines(keepends=True) if "Petit" not in x))
    home.rest()
    home.add_line("- Dentiste : Dr Roux")
    home.rest()
    assert [(fact.id, fact.text) for fact in known(home)] == [(mine.id, "Dentiste : Dr Roux")]


@pytest.mark.parametrize("seed", range(6))
def test_two_new_lines_of_a_name_keep_below_them_what_was_read_there(vault, seed, monkeypatch):
    """Found by a random story: whose line is whose was told in one order when read, in another when written."""
    chance = random.Random(seed)
    monkeypatch.setattr("os.urandom", chance.randbytes)
    home = vault()
    home.add_person("Marie", TEA)
    home.rest()
    head = next(line for line in home.people().splitlines(keepends=True) if line.startswith("- Marie"))
    home.put(NAMES.people, home.people().replace(head, ""))
    home.add_person("Marie", TEA, "Dort tard")
    home.add_person("Marie", TEA)
    home.rest()
    check_another_process(home)
    check(home)


def test_a_fact_deleted_from_one_note_is_not_what_another_note_says_twice(home):
    home.add_line(f"- {TEA}")
    home.rest()
    home.write_profile("".join(x for x in home.profile().splitlines(keepends=True) if TEA not in x))
    check(home)
    assert len(known(home)) == 1
    check_people(home)


@pytest.mark.parametrize("id_kept", [True, False])
def test_somebody_forgotten_in_the_pass_that_read_their_line_again_leaves_with_it(vault, id_kept):
    """Found by a random story: an older version restored, and its person forgotten before anything had read it."""
    home = vault()
    for one in ("Marie", "Paul — frère", "Zoé"):
        home.add_person(one)
    home.rest()
    stood, name = home.people(), home.person("Paul").id
    line = next(x for x in stood.splitlines(keepends=True) if "Paul" in x)
    home.write_people(stood.replace(line, ""))
    home.rest()
    home.write_people(stood if id_kept else stood.replace(line, "- Paul — frère\n"))
    home.sync((), [Forget(name)])
    assert "Paul" not in home.people()
    check(home)
    assert home.open_cards() == []
    assert "Paul" not in home.people()


def test_of_lines_that_say_the_same_the_one_with_the_id_is_the_fact(vault):
    """Found by a random story: once the index had been lost, another line became the fact, and its words changed."""
    home = vault()
    home.add_line(f"- {TEA}")
    home.rest()
    name = home.fact(TEA).id
    line = f"- {TEA} ^{name}\n"
    home.write_profile(home.profile().replace(line, f"- {TEA}\n- {TEA}\n- aime  le thé. ^{name}\n"))
    home.rest()
    assert home.state.latest(name).text == "aime  le thé."
    check(home)
    assert f"- {TEA}\n- {TEA}\n- aime  le thé. ^{name}\n" in home.profile()


def test_a_note_that_a_crash_kept_from_being_written_is_read_again(vault):
    """Found by a random story: a line without its id, read and not yet written, was known by its bytes alone."""
    home = vault()
    home.remember("Dentiste : Dr Petit", kind="preference")
    home.write_profile(drop_ids(home.profile()))
    crash_at(home.app, "vault.write", 0, after=False)
    with contextlib.suppress(Crash):
        home.sync(None)
    home.restart()
    home.remember("Dentiste : Dr Roux", kind="preference")
    check(home)
    assert [card.kind for card in home.open_cards()] == ["key"]
