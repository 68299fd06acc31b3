"""Forgetting, dates that pass, weekly reminders, switching off: rules 9, 10, 13 and 14 of memory.md."""

import pytest

from config.paths import NAMES
from daemon.app import purge
from daemon.brain import boot_of
from parsers.model.edits import NowWrite
from parsers.model.now import NowTexts
from tests.asking import as_of, asked, cli, found, line_with, now

AGENT = "mcp:claude-code"
SECRET = "ghp_16C7e42F292c6912E7710c838347Ae178B4a"


# memory.md rule 9


@pytest.mark.parametrize("anchor", ["", " ^p1"])
def test_a_forgotten_fact_is_gone_from_facts_note_search_and_cards_at_once(vault, anchor):
    # memory.md rule 9; R-M08
    home = vault()
    home.add_line(f"- code de la girolle{anchor}")
    home.add_line("- vélo")
    home.rest()
    name = home.fact("code de la girolle").id
    rest = home.profile().replace(line_with(home, "girolle") + "\n", "")
    home.forget(name)
    assert home.profile() == rest
    assert now(home) == ["vélo"]
    assert found(home, "girolle") == []
    assert "girolle" not in home.export() + home.journal() + home.cards()
    assert as_of(home, "2026-12-01", known_at="2026-12-01") == ["vélo"]
    last = [record for record in home.records() if record.op == "fact.forgotten"]
    assert [sorted(record.body) for record in last] == [["id", "retracted_at"]]
    assert not home.rest()
    assert not home.open_cards()


def test_purging_blanks_the_words_in_register_and_backups(vault):
    # memory.md rule 9
    home = vault()
    home.add_line("- code de la girolle")
    home.add_line("- vélo")
    home.rest()
    name = home.fact("code de la girolle").id
    home.replace("vélo", "tram")
    home.rest()
    home.close()
    code, out, _ = cli(home, "forget", name, "--purge")
    assert code == 0
    assert "hors de portée" in out
    home.restart()
    home.rest()
    every = [path for path in home.folder.rglob("*") if path.is_file()]
    assert not [path for path in every if b"girolle" in path.read_bytes()]
    assert not asked(home, "verify-register")
    assert now(home) == ["tram"]


@pytest.mark.parametrize("words", ["le code de la girolle est 12", "Code de la Girolle"])
def test_what_an_agent_copied_into_now_md_is_purged_with_it_and_nothing_else(vault, words):
    # memory.md rule 9; R-N02
    home = vault()
    home.add_line("- code de la girolle")
    home.rest()
    name = home.fact("code de la girolle").id
    home.sync((), [NowWrite("vélo", "", "tram", "", origin=AGENT)])
    home.sync((), [NowWrite("vélo", f"- api\n- {words}", "tram", "", origin=AGENT, provenance="web")])
    home.sync((), [NowWrite("bus", "- api", "train", "", origin=AGENT)])
    assert "irolle" not in home.text(NAMES.now)
    home.forget(name)
    home.close()
    assert cli(home, "forget", name, "--purge")[0] == 0
    home.restart()
    home.rest()
    every = [path for path in home.folder.rglob("*") if path.is_file()]
    assert not [path for path in every if b"irolle" in path.read_bytes()]
    said = [record for record in home.records() if record.op == "now.written"]
    blank = dict.fromkeys(NowTexts._fields, "")
    assert [{one: record.body[one] for one in NowTexts._fields} == blank for record in said] == [
        False,
        True,
        False,
    ]
    assert home.text(NAMES.now).count("bus") == 1
    assert not asked(home, "verify-register")


def test_now_md_keeps_its_writer_and_provenance_when_what_it_says_was_purged(vault):
    # memory.md rule 9; R-N02, R-P01
    home = vault()
    home.add_line("- code de la girolle")
    home.rest()
    name = home.fact("code de la girolle").id
    home.sync((), [NowWrite("vélo", "code de la girolle", "", "", origin=AGENT, provenance="web")])
    before = home.text(NAMES.now)
    home.forget(name)
    purge(home.app, name, home.clock.now)
    home.rest()
    assert home.text(NAMES.now) == before
    known = boot_of(home.state, home.app.vault, home.settings, home.clock.now.date())
    assert (known.written_by[0], known.provenance) == (AGENT, "web")


# memory.md rule 10


def test_a_review_date_that_passed_opens_one_card(vault):
    # memory.md rule 10
    home = vault()
    home.add_line("- passeport à refaire [revoir:: 2026-12-10]", "goals")
    home.rest()
    home.clock.advance(days=9)
    home.rest()
    assert not home.open_cards()
    home.clock.advance(days=1)
    home.rest()
    home.rest()
    assert [card.kind for card in home.open_cards()] == ["review"]
    home.tick("passeport", "keep")
    home.rest()
    home.clock.advance(days=30)
    home.rest()
    assert not home.open_cards()
    assert home.fact("passeport à refaire").last_seen_at == "2026-12-10T09:00:00.000Z"


# memory.md rule 13


def test_a_secret_in_a_proposal_is_redacted_before_anything_is_kept(vault):
    # memory.md rule 13
    home = vault()
    home.remember(f"le jeton est {SECRET} depuis lundi", AGENT, confidence=0.6)
    assert [known[-1].text for known in home.state.facts.values()] == ["le jeton est […] depuis lundi"]
    every = [path for path in home.folder.rglob("*") if path.is_file()]
    assert not [path for path in every if SECRET.encode() in path.read_bytes()]


BODY = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
HEAD, TAIL = "-----BEGIN RSA PRIVATE KEY-----", "-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("key", "kept"),
    [
        (f"{HEAD}\n{BODY}\n{BODY}\n{TAIL} puis", "clé […] puis"),
        (f"{HEAD}\r\n{BODY}\r\n\r\n{BODY}\r\n{TAIL} puis", "clé […] puis"),
        (f"{HEAD} {BODY} {BODY} {TAIL} puis", "clé […] puis"),
        (f"{HEAD}\\n{BODY}\\n{TAIL} puis", "clé […] puis"),
        (f"{HEAD}\n{BODY}\n{TAIL} et {HEAD}\n{BODY}\n{TAIL} puis", "clé […] et […] puis"),
        (f"{HEAD}\n{BODY} sans fin", "clé […]"),
        (f"-----BEGIN RSA\nPRIVATE KEY-----\n{BODY}\n{TAIL} puis", "clé […] puis"),
        (
            f"-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n{BODY}\n-----END PGP PRIVATE KEY BLOCK----- puis",
            "clé […] puis",
        ),
        (
            f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{BODY}\n---- END SSH2 ENCRYPTED PRIVATE KEY ---- puis",
            "clé […] puis",
        ),
        (
            f"PuTTY-User-Key-File-3: ssh-rsa\nPrivate-Lines: 1\n{BODY}\nPrivate-MAC: 0a1b2c puis",
            "clé […] puis",
        ),
        (f"PuTTY-User-Key-File-2: ssh-rsa Private-Lines: 1 {BODY}", "clé […]"),
    ],
)
def test_a_private_key_is_redacted_from_its_first_line_to_its_last(vault, key, kept):
    # memory.md rule 13
    home = vault()
    home.remember(f"clé {key}", AGENT, confidence=0.6)
    assert [known[-1].text for known in home.state.facts.values()] == [kept]
    every = [path for path in home.folder.rglob("*") if path.is_file()]
    assert not [path for path in every if BODY.encode() in path.read_bytes()]


# memory.md rule 14


def test_a_pending_fact_never_expires_and_is_recalled_once_a_week(vault):
    # memory.md rule 14; R-M13
    home = vault()
    home.remember("aime le thé", AGENT, confidence=0.6)
    for _ in range(28):
        home.clock.advance(days=1)
        home.rest()
    assert not home.open_cards("reminder")
    reminders = 0
    for _ in range(28):
        home.clock.advance(days=1)
        reminders += sum(record.op == "card.opened" for one in home.rest() for record in one.records)
    assert home.fact("aime le thé").status == "pending"
    assert reminders == 4
    assert len(home.open_cards("reminder")) == 1
    assert len(home.open_cards("proposal")) == 1


def test_a_deleted_card_is_no_answer_and_comes_back_with_the_weekly_reminder(vault):
    # memory.md rule 14; vault-notes.md, Cards
    home = vault()
    empty = home.cards()
    home.remember("aime le thé", AGENT, confidence=0.6)
    home.write_cards(empty)
    home.rest()
    for _ in range(6):
        home.clock.advance(days=1)
        home.rest()
        assert home.cards() == empty
    home.clock.advance(days=1, hours=1)
    home.rest()
    assert "aime le thé" in home.cards()
    assert home.fact("aime le thé").status == "pending"


def test_at_most_twenty_new_notices_a_day_are_shown_and_the_rest_counted(vault):
    # memory.md rule 14; R-M13
    home = vault(CARDS__PER_DAY="3")
    for number in range(5):
        home.remember(f"aime le thé numéro {number}", AGENT, confidence=0.6)
        home.clock.advance(minutes=1)
    assert home.cards().count("Garder") == 3
    assert "… et 2 autres" in home.cards()
    home.tick("numéro 0", "keep")
    home.rest()
    assert home.cards().count("Garder") == 3
    assert "numéro 3" in home.cards()


# R-M14, R-M15


def test_memory_switched_off_leaves_every_note_and_fact_as_it_is(vault):
    # R-M14
    home = vault(files={"Note.md": "girolle\n"})
    home.add_line("- thé", "preferences")
    home.rest()
    export = home.export()
    home.restart(MEMORY__ENABLED="false")
    home.add_line("- vélo", "preferences")
    before = home.snapshot()
    outcome = home.sync()
    home.remember("marche le soir")
    assert not outcome.records
    assert not outcome.written
    assert home.snapshot() == before
    assert home.export() == export
    assert found(home, "girolle") == ["Note.md"]
    home.restart(MEMORY__ENABLED="true")
    home.rest()
    assert now(home) == ["thé", "vélo"]


def test_every_fact_carries_the_owners_name(vault):
    # R-M15
    home = vault(MEMORY__USER_ID="camille")
    home.add_line("- thé", "preferences")
    home.rest()
    home.remember("vélo", AGENT, confidence=0.6)
    assert {one["user_id"] for one in asked(home, "export")["facts"]} == {"camille"}
    home.restart(MEMORY__USER_ID="un autre")
    home.remember("train")
    assert {one["user_id"] for one in asked(home, "export")["facts"]} == {"camille"}


def test_a_text_without_words_is_refused_and_changes_nothing(vault):
    home = vault()
    home.add_line("- thé", "preferences")
    home.rest()
    export = home.export()
    name = home.fact("thé").id
    for words in ("", "  ", "[depuis:: 2026]"):
        assert cli(home, "remember", words)[0] == 2
        assert cli(home, "correct", name, words)[0] == 2
        home.remember(words, AGENT)
        home.correct(name, words)
    assert home.export() == export
