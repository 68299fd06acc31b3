"""A fact forgotten in the very pass that read its line: the line leaves with it, though it had not stood there before.

Left behind it would stand there unread: a fact to whoever reads the note anew, none to who remembers its bytes.
"""

import pytest

from config.paths import NAMES
from parsers.model.edits import Forget
from tests.person import drop_ids
from tests.rest import check_another_process, check_lines, check_reading
from tests.seams import slipping

LINE = "- Aime le thé vert"


@pytest.fixture
def home(vault):
    home = vault()
    home.add_line("- Autre")
    home.rest()
    return home


def forget(home, name, left=("Autre",)):
    """Forget a fact in the pass that reads the note as it stands; nothing of it may be left, or come back."""
    home.sync((), [Forget(name)])
    check(home, left)
    check_another_process(home)
    home.add_line("- Encore")
    home.rest()
    check(home, sorted([*left, "Encore"]))
    before = home.export()
    home.drop_index()
    home.rest()
    assert home.export() == before


def check(home, left):
    assert "thé vert" not in home.profile().lower()
    assert home.facts() == list(left)
    assert home.open_cards() == []
    check_lines(home, home.profile())
    check_reading(home)


def lost(home):
    """Lose the note: what stood there is held, and remembered to stand nowhere. Gives its text."""
    text = home.profile()
    home.full(NAMES.profile).unlink()
    home.sync()
    assert home.facts("held")
    return text


@pytest.mark.parametrize("anchor", ["", " ^p1"])
@pytest.mark.parametrize("tool", [str, drop_ids])
def test_a_line_back_in_its_note_after_a_loss(home, anchor, tool):
    """Hypothesis seed 2009: an older version restored, and a fact of it forgotten before anything had read it."""
    home.add_line(LINE + anchor)
    home.rest()
    name = home.fact("Aime le thé vert").id
    home.write_profile(tool(lost(home)))
    forget(home, name)


def test_a_line_reworded_by_the_version_that_came_back(home):
    """The words to go by are those that this pass read, not only those known before."""
    home.add_line("- Aime le maté ^p1")
    home.rest()
    name = home.fact("Aime le maté").id
    text = lost(home)
    home.clock.advance(days=1)
    home.write_profile(text.replace("- Aime le maté", LINE))
    forget(home, name)
    assert "maté" not in home.profile()


def test_a_deleted_line_put_back_within_the_edit_window(home):
    home.add_line(LINE)
    home.rest()
    before, name = home.profile(), home.fact("Aime le thé vert").id
    home.replace(f"{LINE} ^{name}\n", "")
    home.sync()
    home.write_profile(before)
    forget(home, name)


@pytest.mark.parametrize("anchor", ["", " ^p1"])
def test_a_line_whose_id_was_stripped(home, anchor):
    home.add_line(LINE + anchor)
    home.rest()
    home.write_profile(drop_ids(home.profile()))
    forget(home, home.fact("Aime le thé vert").id)


def test_a_line_that_says_it_again_typed_in_that_pass(home):
    home.add_line(LINE)
    home.rest()
    home.add_line("- aime le THÉ vert.", "goals")
    forget(home, home.fact("Aime le thé vert").id)


def test_a_proposal_that_the_person_wrote_down_in_that_pass(home):
    home.remember("Aime le thé vert", "mcp:x")
    home.add_line(LINE)
    forget(home, home.fact("Aime le thé vert").id)


def test_a_line_read_by_an_index_that_forgot_what_stood_there(home):
    home.add_line(LINE)
    home.rest()
    name = home.fact("Aime le thé vert").id
    home.drop_index()
    forget(home, name)


@pytest.mark.parametrize("tool", [str, drop_ids])
def test_a_line_in_a_note_saved_again_before_it_was_written(home, tool):
    saved_again(home, "before the write", tool)
    check(home, ["Autre"])


@pytest.mark.parametrize("when", ["before the exchange", "after the exchange"])
def test_a_line_in_a_version_that_our_write_displaced_is_asked_about(home, when):
    """Saved after the note was read: it may be older than the forgetting, or the person's last word (rule 8)."""
    name, saved = saved_again(home, when, str)
    assert home.facts() == ["Autre"]
    assert [card.subjects for card in home.open_cards("returned")] == [(name,)]
    assert home.profile() == saved
    check_reading(home)


def saved_again(home, when, tool):
    """Lose the note and bring it back, and save it again while a pass reads it and forgets; gives what was saved."""
    home.add_line(LINE)
    home.rest()
    name = home.fact("Aime le thé vert").id
    text = tool(lost(home))
    home.write_profile(text)
    with slipping(home, when, lambda: text.replace("# Profil", "# Profil\n\nLibre")) as saved:
        home.sync((), [Forget(name)])
    home.rest()
    assert "Libre" in home.profile()
    return name, saved[0]


def test_other_words_and_another_fact_that_says_the_same_stay(home):
    """Only what clavaire knew of the fact leaves."""
    home.add_line(f"{LINE} ^p1")
    home.rest()
    name = home.fact("Aime le thé vert").id
    home.replace(f"{LINE} ^p1", "- Aime le thé noir ^p2\n- ")
    home.sync((), [Forget(name)])
    home.rest()
    assert home.facts() == ["Aime le thé noir", "Autre"]
    assert "\n- \n" in home.profile()
    check_reading(home)
