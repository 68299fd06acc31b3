"""now.md in the vault: written once for each writing, the person's afterwards, healed after a crash (R-N01, R-N02)."""

import json

import pytest

from config.paths import NAMES
from daemon.app import accept
from daemon.index.memory import journal
from daemon.memory.shown import Shown
from daemon.memory.state import State, fold
from daemon.vault.disk import etag_of
from parsers.model.edits import NowGiven, NowWrite, Remember
from parsers.model.now import NowTexts
from parsers.model.places import Etag
from parsers.model.register import Record
from parsers.now import parse
from renderers.now import render
from tests.home import Home

CLIENT = "mcp:claude-code"
TEXTS = NowTexts("Brancher l'API.", "- api, port 8000", "Écrire le test.", "La branche est `now`.")
WHOLE = render(TEXTS, "2026-11-30")


def writing(texts: NowTexts = TEXTS, origin: str = CLIENT, provenance: str = "user") -> NowWrite:
    return NowWrite(*texts, origin=origin, provenance=provenance)


def focusing(step: str, origin: str = CLIENT) -> NowWrite:
    return NowWrite(step, origin=origin)


@pytest.fixture
def home(vault) -> Home:
    made = vault()
    made.rest()
    return made


def ops(outcome) -> list[str]:
    return [record.op for record in outcome.records]


def test_what_is_written_stands_in_the_note_at_once_and_a_second_pass_writes_nothing(home):
    outcome = accept(home.app, [writing()])
    assert ops(outcome) == ["run.recorded", "now.written", "now.shown"]
    assert home.text(NAMES.now) == WHOLE
    before = home.full(NAMES.now).stat().st_mtime_ns
    assert home.rest() == []
    assert home.full(NAMES.now).stat().st_mtime_ns == before


def test_the_record_says_who_which_day_and_the_lowest_of_what_was_read(home):
    accept(home.app, [writing(provenance="web")])
    (record,) = [one for one in home.records() if one.op == "now.written"]
    body = {**TEXTS._asdict(), "client": CLIENT, "provenance": "web", "day": "2026-11-30"}
    assert dict(record.body) == body
    assert record.by == CLIENT
    accept(home.app, [writing()])
    assert home.state.brain.written.provenance == CLIENT


def test_the_day_is_the_local_one_and_no_clock_time_is_kept(vault):
    home = vault()
    home.clock.advance(hours=14)  # 23:00 UTC: the first of December in Paris
    accept(home.app, [writing()])
    assert home.text(NAMES.now).startswith("# Now — 2026-12-01\n")


@pytest.mark.parametrize("place", range(4))
def test_a_text_with_a_clock_time_is_not_written_wherever_it_stands(home, place):
    texts = NowTexts(*("à 14 h 30" if at == place else "bien" for at in range(4)))
    outcome = accept(home.app, [writing(texts)])
    assert ops(outcome) == []
    assert not home.full(NAMES.now).exists()


def test_the_version_before_is_kept_in_the_backups(home):
    accept(home.app, [writing()])
    accept(home.app, [writing(TEXTS._replace(step="Suite."))])
    assert home.app.vault.backup(etag_of(WHOLE.encode())) == WHOLE.encode()


def test_a_hand_edit_stays_until_the_next_writing_and_is_kept_then(home):
    accept(home.app, [writing()])
    mine = WHOLE.replace("La branche", "Ma branche") + "\n## À moi\n\nmots\n"
    home.put(NAMES.now, mine)
    assert home.rest() == []
    home.drop_index()
    assert not any(NAMES.now in one.written for one in home.rest())
    assert home.text(NAMES.now) == mine
    accept(home.app, [writing(TEXTS._replace(step="Suite."))])
    assert home.text(NAMES.now) == render(TEXTS._replace(step="Suite."), "2026-11-30")
    assert home.app.vault.backup(etag_of(mine.encode())) == mine.encode()


def test_a_deleted_note_stays_away_until_the_next_writing_also_with_a_new_index(home):
    accept(home.app, [writing()])
    home.full(NAMES.now).unlink()
    assert home.rest() == []
    home.drop_index()
    home.rest()
    assert not home.full(NAMES.now).exists()
    accept(home.app, [focusing("Suite.")])
    assert home.text(NAMES.now) == render(TEXTS._replace(step="Suite."), "2026-11-30")


def test_focusing_changes_the_first_section_and_no_byte_of_what_the_person_made_of_the_rest(home):
    accept(home.app, [writing()])
    mine = WHOLE.replace("La branche", "Ma branche") + "\n## À moi\n\nmots \t\n"
    home.put(NAMES.now, mine)
    home.clock.advance(days=1)
    accept(home.app, [focusing("Suite.")])
    wanted = mine.replace("Brancher l'API.", "Suite.").replace("2026-11-30", "2026-12-01")
    assert home.text(NAMES.now) == wanted
    (record,) = [one for one in home.records() if one.op == "now.written" and one.body["services"] is None]
    assert [record.body[name] for name in NowTexts._fields] == ["Suite.", None, None, None]


def test_focusing_keeps_the_provenance_of_the_sections_that_stay(home):
    accept(home.app, [writing(provenance="web")])
    accept(home.app, [focusing("Suite.")])
    assert home.state.brain.written.provenance == "web"


def test_two_writings_before_the_note_is_brought_up_come_as_one(home):
    home.app.pipeline.submit([writing()])
    home.app.pipeline.submit([focusing("Suite.")])
    assert not home.full(NAMES.now).exists()
    home.sync()
    assert home.text(NAMES.now) == render(TEXTS._replace(step="Suite."), "2026-11-30")
    assert home.rest() == []


def test_a_crash_between_the_event_and_the_note_heals_at_the_next_pass(home):
    accept(home.app, [writing()])
    home.app.pipeline.submit([writing(TEXTS._replace(step="Suite."))])
    home.drop_index()
    home.rest()
    assert home.text(NAMES.now) == render(TEXTS._replace(step="Suite."), "2026-11-30")


def test_a_crash_right_after_the_note_was_written_leaves_what_the_person_wrote_since(home):
    home.app.pipeline.submit([writing()])
    home.app.history.stand(NAMES.now, Shown(Etag(""), coming=etag_of(WHOLE.encode())))
    home.put(NAMES.now, WHOLE)  # written, and the process ended before it said so
    home.restart()
    home.put(NAMES.now, WHOLE + "mes mots\n")
    home.rest()
    assert home.text(NAMES.now) == WHOLE + "mes mots\n"
    assert not home.state.brain.waits


def test_the_same_text_on_the_same_day_is_written_again_over_what_the_person_made_of_it(home):
    accept(home.app, [writing()])
    home.put(NAMES.now, "mes mots\n")
    accept(home.app, [writing()])
    assert home.text(NAMES.now) == WHOLE
    assert home.app.vault.backup(etag_of(b"mes mots\n")) == b"mes mots\n"


def test_a_note_saved_just_now_is_not_written_yet(home):
    accept(home.app, [writing()])
    home.app.pipeline.submit([writing(TEXTS._replace(step="Suite."))])
    home.app.pipeline.sync(busy=[NAMES.now])
    assert home.text(NAMES.now) == WHOLE
    home.rest()
    assert parse(home.text(NAMES.now)).texts.step == "Suite."


def test_a_link_and_a_note_that_is_no_utf8_are_left_with_a_problem(home):
    home.put("Ailleurs.md", "ailleurs\n")
    home.full(NAMES.now).symlink_to(home.full("Ailleurs.md"))
    accept(home.app, [writing()])
    assert home.text("Ailleurs.md") == "ailleurs\n"
    home.full(NAMES.now).unlink()
    home.rest()
    assert home.text(NAMES.now) == WHOLE
    home.put(NAMES.now, b"\xe9t\xe9\n")
    accept(home.app, [focusing("Suite.")])
    assert home.full(NAMES.now).read_bytes() == b"\xe9t\xe9\n"
    assert home.state.brain.waits
    accept(home.app, [writing()])
    assert home.text(NAMES.now) == WHOLE


KEPT_BACK = [
    "---\nprivé: oui\n---\nmots\n".encode(),
    b"---\nsensitive: yes\n---\nmots\n",
    b"---\nprive: [oui\n---\nmots\n",
    "---\nprivé: oui\n---\nmots\n".encode("latin-1"),
    "---\nprivé: oui\n---\nmots\n".encode("utf-16"),
]


@pytest.mark.parametrize("data", KEPT_BACK)
@pytest.mark.parametrize("edit", [writing(), focusing("Suite.")])
def test_what_waits_when_the_person_makes_the_note_private_is_never_put_there(home, data, edit):
    # R-P04
    home.app.pipeline.submit([edit])
    home.put(NAMES.now, data)
    home.rest()
    assert home.full(NAMES.now).read_bytes() == data
    assert not home.state.brain.waits
    assert home.rest() == []
    home.put(NAMES.now, "mots\n")  # the mark is taken away: the note stays the person's
    home.rest()
    assert home.text(NAMES.now) == "mots\n"


@pytest.mark.parametrize("there", [True, False])
def test_in_a_private_folder_or_ignored_it_is_not_written_either(vault, there):
    for home in (
        vault(PRIVACY__PRIVATE=json.dumps([NAMES.now])),
        vault(files={".clavaireignore": f"{NAMES.now}\n"}),
    ):
        home.rest()
        if there:
            home.put(NAMES.now, "mots\n")
        accept(home.app, [writing()])
        home.rest()
        assert home.full(NAMES.now).exists() == there
        assert not there or home.text(NAMES.now) == "mots\n"


def test_a_new_index_knows_the_same_as_the_register_tells(home):
    accept(home.app, [writing()])
    home.app.pipeline.submit([NowGiven(CLIENT, "s1", "e"), NowGiven("mcp:cursor", "s2", "e")])
    accept(home.app, [focusing("Suite.")])
    before = home.state.brain
    assert home.told().brain == before
    home.restart()
    home.sync()
    assert home.state.brain == before
    home.drop_index()
    home.sync()
    assert home.state.brain == before


def test_a_line_that_nobody_vouches_for_is_worth_no_more_than_the_vault():
    body = {**TEXTS._asdict(), "client": CLIENT, "provenance": "user", "day": "2026-11-30"}
    state = State()
    fold(state, Record(3, "2026-11-30T09:00:00.000Z", "now.written", CLIENT, body, vouched=False))
    assert state.brain.written.provenance == "vault"
    fold(state, Record(4, "2026-11-30T09:00:00.000Z", "now.written", CLIENT, {"step": 1}, vouched=False))
    assert state.brain.written.seq == 3


def test_secrets_are_redacted_before_anything_keeps_them(home):
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    accept(home.app, [writing(TEXTS._replace(services=f"jeton {secret}"))])
    assert secret not in home.text(NAMES.now)
    assert "jeton […]" in home.text(NAMES.now)
    assert not any(secret.encode() in record.raw for record in home.records())


def test_the_journal_names_who_wrote_and_keeps_no_word_of_it(home):
    accept(home.app, [writing()])
    line = "- 10:00 État du travail écrit · mcp:claude-code · [[99_Assistant/now|now.md]]"
    assert line in home.journal()
    kept = [one for one in journal(home.app.history.index, "", 10) if one.op == "now.written"]
    assert [dict(one.body) for one in kept] == [{}]


def test_the_journal_speaks_english_too(vault):
    home = vault(GENERAL__LOCALE="en")
    accept(home.app, [writing()])
    assert "State of the work written · mcp:claude-code" in home.journal()


def test_it_is_a_run_of_one_step_and_the_rule_is_named(home):
    accept(home.app, [writing(), focusing("Suite.")])
    runs = [run for run in home.app.history.runs.runs.values() if run.kind == "memory"]
    assert [(run.title, run.steps[0].rule, run.status) for run in runs] == [
        ("brain_write", 15, "succeeded"),
        ("brain_focus", 15, "succeeded"),
    ]


def test_at_level_nought_it_is_refused_with_the_rule(home):
    home.replace("- now : 1", "- now : 0", NAMES.autonomy)
    home.rest()
    outcome = accept(home.app, [writing()])
    (record,) = [one for one in outcome.records if one.op == "action.refused"]
    assert (record.body["rule"], record.body["tool"]) == (6, "brain_write")
    assert not home.full(NAMES.now).exists()
    assert "brain_write · mcp:claude-code" in home.journal()


def test_with_memory_put_out_it_is_written_all_the_same_and_facts_are_not(vault):
    home = vault(MEMORY__ENABLED="false")
    accept(home.app, [writing()])
    assert home.text(NAMES.now) == WHOLE
    outcome = home.sync((), [writing(), Remember("Un fait.", "fact", CLIENT)])
    assert outcome.closed is not None


def test_where_nothing_may_be_recorded_nothing_is_written(home):
    register = next(home.full(NAMES.register_folder).glob("*.md"))
    register.write_bytes(register.read_bytes().replace(b'"by":"person"', b'"by":"persona"', 1))
    outcome = accept(home.app, [writing()])
    assert outcome.closed is not None
    assert not home.full(NAMES.now).exists()


def test_no_byte_of_another_note_changes(home):
    home.put("Notes/a.md", "mots\n")
    home.rest()
    before = home.snapshot(NAMES.now, NAMES.journal, NAMES.register_folder)
    accept(home.app, [writing()])
    accept(home.app, [focusing("Suite.")])
    assert home.snapshot(NAMES.now, NAMES.journal, NAMES.register_folder) == before


def test_the_register_holds_nothing_but_json(home):
    accept(home.app, [writing()])
    for record in home.records():
        assert json.loads(record.raw)
