"""What vanishes at once, half-typed lines and secrets: rules 8, 11 and 13 of memory.md."""

from config.paths import NAMES
from parsers.model.places import NotePath
from tests.asking import drop_line, line_with, now, problems
from tests.daemon.memory.test_hand_rules import with_lines

PROFILE = NAMES.profile
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


# memory.md rule 8


def test_all_lines_of_a_section_gone_at_once_are_held_until_the_person_says(vault):
    # memory.md rule 8; law 8
    home = with_lines(vault, "- thé", "- vélo")
    home.add_line("- Pain : complet", "facts")
    home.rest()
    whole = home.profile()
    drop_line(home, "thé")
    drop_line(home, "vélo")
    home.rest()
    assert home.facts("held") == ["thé", "vélo"]
    assert now(home) == ["Pain : complet", "thé", "vélo"]
    assert "vélo" not in home.profile()
    (card,) = home.open_cards("loss")
    home.replace("complet", "de seigle")
    home.rest()
    assert "Pain : de seigle" in now(home)
    assert [one.id for one in home.open_cards()] == [card.id]
    home.tick("thé", "restore")
    home.rest()
    assert sorted(home.profile().split("\n")) == sorted(whole.replace("complet", "de seigle").split("\n"))
    assert not home.open_cards()


def test_held_lines_are_forgotten_only_when_the_person_says(vault):
    # memory.md rule 8
    home = with_lines(vault, "- thé", "- vélo")
    drop_line(home, "thé")
    drop_line(home, "vélo")
    home.rest()
    home.clock.advance(days=30)
    home.rest()
    home.tick("thé", "forget")
    home.rest()
    assert now(home) == []
    assert home.facts("rejected") == ["thé", "vélo"]


def test_an_emptied_note_loses_nothing_and_comes_back(vault):
    # memory.md rule 8; C23
    home = with_lines(vault, "- thé", "- vélo")
    whole = home.profile()
    for wreck in ("", "\n\n"):
        home.write_profile(wreck)
        home.rest()
        assert now(home) == ["thé", "vélo"]
        assert home.open_cards("loss")
        assert (PROFILE, 0, "note_vanished") in problems(home)
        home.write_profile(whole)
        home.rest()
        assert home.profile() == whole
        assert not home.open_cards()
        assert not problems(home)


def test_a_third_and_five_lines_gone_at_once_are_held_and_four_are_not(vault):
    # memory.md rule 8; law 8
    home = with_lines(vault, *(f"- habitude {letter}" for letter in "abcdefghijklmno"))
    for letter in "abcd":
        drop_line(home, f"habitude {letter}")
    home.rest()
    assert len(home.facts("rejected")) == 4
    home.clock.advance(days=1)
    for letter in "efghi":
        drop_line(home, f"habitude {letter}")
    home.rest()
    assert len(home.facts("held")) == 5
    assert len(home.facts("rejected")) == 4


def test_a_section_removed_with_its_tags_loses_nothing_and_init_puts_it_back(vault):
    # memory.md rule 8; vault-notes.md: missing sections are appended on init only
    home = with_lines(vault, "- thé", "- vélo")
    begin, end = "<!-- clavaire:begin preferences -->", "<!-- clavaire:end preferences -->\n"
    whole = home.profile()
    home.write_profile(whole[: whole.index(begin)] + whole.partition(end)[2])
    home.rest()
    assert now(home) == ["thé", "vélo"]
    assert problems(home) == [(PROFILE, 0, "section_missing")]
    home.tick("thé", "restore")
    home.rest()
    assert "thé" not in home.profile()
    home.init()
    home.rest()
    assert home.profile().count(begin) == 1
    assert line_with(home, "thé")
    assert line_with(home, "vélo")
    assert not problems(home)


def test_a_line_deleted_while_the_index_was_gone_comes_back(vault):
    # law 8: a missing line is a deletion only if it is known to have stood there
    home = with_lines(vault, "- thé", "- vélo", "- train")
    files, line = home.index_files(), line_with(home, "thé")
    home.close()
    for path in files:
        path.unlink(missing_ok=True)
    home.replace(f"{line}\n", "")
    home.restart()
    home.rest()
    assert now(home) == ["thé", "train", "vélo"]
    assert line_with(home, "thé") == line


# memory.md rule 11


def test_a_note_saved_within_the_settle_time_is_neither_read_nor_written(vault):
    # memory.md rule 11
    home = with_lines(vault, "- thé", "- vélo")
    home.add_line("- un fait à demi éc", "preferences")
    half = home.profile()
    outcome = home.app.pipeline.sync(busy=[NotePath(PROFILE)])
    home.app.pipeline.sync(None, [], [NotePath(PROFILE)])
    assert home.profile() == half
    assert now(home) == ["thé", "vélo"]
    assert not outcome.records


def test_a_line_reworded_within_the_window_leaves_one_line_in_the_journal(vault):
    # memory.md rule 11
    home = with_lines(vault, "- vélo")
    said = "un"
    home.add_line("- un", "preferences")
    for more in (" fait", " à", " demi", " écrit"):
        home.rest()
        home.clock.advance(seconds=30)
        home.replace(f"- {said}", f"- {said}{more}")
        said += more
    home.rest()
    assert home.journal().count("un fait") == 1
    assert "« un fait à demi écrit »" in home.journal()


# memory.md rule 13


def test_a_line_with_a_secret_stays_the_persons_and_one_problem_says_so(vault):
    # memory.md rule 13
    home = with_lines(vault, "- vélo")
    home.add_line(f"- Jeton : {SECRET}", "facts")
    written = home.profile()
    home.rest()
    assert home.profile() == written
    assert now(home) == ["vélo"]
    assert SECRET not in home.export()
    assert SECRET not in home.journal() + home.cards()
    assert SECRET.encode() not in b"".join(record.raw for record in home.records())
    line = 1 + next(n for n, line in enumerate(written.split("\n")) if SECRET in line)
    assert problems(home) == [(PROFILE, line, "secret_line")]


def test_a_known_line_that_gets_a_secret_is_not_rewritten_and_its_fact_stays(vault):
    # memory.md rule 13
    home = with_lines(vault, "- Jeton : perdu", "- vélo", section="facts")
    home.replace("perdu", SECRET)
    written = home.profile()
    home.rest()
    home.drop_index()
    home.rest()
    assert home.profile() == written
    assert SECRET not in home.export() + home.journal() + home.cards()
    assert SECRET.encode() not in b"".join(record.raw for record in home.records())


# vault-notes.md, Sections: list items beside a section


def test_lines_beside_a_section_are_asked_about_and_taken_as_they_read(vault):
    home = with_lines(vault, "- vélo")
    end = "<!-- clavaire:end goals -->\n"
    beside = "- Apprendre le luth [depuis:: 2026-10] ^p7\n- Courir\n"
    home.replace(end, end + beside)
    home.rest()
    (card,) = home.open_cards("stray")
    assert [code for _, _, code in problems(home)] == ["stray_lines"]
    assert now(home) == ["vélo"]
    home.tick("luth", "take")
    home.rest()
    assert now(home) == ["Apprendre le luth", "Courir", "vélo"]
    taken = home.fact("Apprendre le luth")
    assert (taken.kind, taken.valid_from, taken.source) == ("goal", "2026-10-01", "user")
    assert end + beside in home.profile()
    assert not problems(home)
    assert not home.rest()
    assert [one.id for one in home.state.cards.values()] == [card.id]


def test_lines_beside_a_section_that_are_moved_into_it_need_no_answer(vault):
    home = with_lines(vault, "- vélo")
    end = "<!-- clavaire:end goals -->\n"
    home.replace(end, f"{end}- Courir\n")
    home.rest()
    home.replace(f"{end}- Courir\n", f"- Courir\n{end}")
    home.rest()
    assert now(home) == ["Courir", "vélo"]
    assert not home.open_cards()
    assert not problems(home)
