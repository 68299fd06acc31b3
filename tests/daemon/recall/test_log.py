"""What recall leaves in the state folder."""

import json
from datetime import UTC, datetime, timedelta

from config.paths import NAMES
from daemon.recall import log, score
from parsers.model.recall import Hit, Query, Recalled

NOW = datetime(2026, 11, 30, 9, tzinfo=UTC)


def block(name, sensitivity="normal"):
    hit = Hit("block", name, "le coffre", "n.md", "n", "", 1, 0, 9, None, 0.0, sensitivity=sensitivity)
    return score.scored(hit, {"fusion": 0.5})


def test_a_recall_is_logged_with_ids_and_factors_and_no_words(tmp_path):
    found = Recalled(Query("mot de passe"), (block("n.md:1"), block("Santé/secret.md:1", "private")))
    log.note_recall(tmp_path, found, NOW)
    text = (tmp_path / NAMES.recalls).read_text("utf-8")
    line = json.loads(text)
    assert line["hits"][0]["id"] == "n.md:1"
    assert line["hits"][0]["factors"]["fusion"] == 0.5
    assert line["at"] == "2026-11-30T09:00:00.000Z"
    for word in ("passe", "coffre", "Santé", "secret"):
        assert word not in text


def test_tokens_are_counted_by_conversation_for_a_week(tmp_path):
    for days, name, used in ((8, "old", 900), (2, "a", 100), (1, "a", 50), (0, "b", 51)):
        log.note_tokens(tmp_path, name, used, NOW - timedelta(days=days))
    found = log.tokens(tmp_path, NOW).as_json()
    assert found == {"week": 201, "contexts": 3, "conversations": 2, "per_conversation": 100}


def test_without_a_log_nothing_was_given(tmp_path):
    assert log.tokens(tmp_path, NOW).as_json() == {
        "week": 0, "contexts": 0, "conversations": 0, "per_conversation": 0,
    }  # fmt: skip


def test_a_log_begins_anew_when_it_is_long_and_the_one_before_counts_too(tmp_path, monkeypatch):
    monkeypatch.setattr(log, "_LARGEST", 300)
    for _ in range(5):
        log.note_tokens(tmp_path, "a", 10, NOW)
    assert (tmp_path / f"{NAMES.tokens}.1").exists()
    assert log.tokens(tmp_path, NOW).week == 50


def test_a_damaged_line_is_passed_over(tmp_path):
    log.note_tokens(tmp_path, "a", 10, NOW)
    with (tmp_path / NAMES.tokens).open("ab") as file:
        file.write(b'{"at":\n\xff\n[1]\n{"tokens":"x"}\n')
    log.note_tokens(tmp_path, "a", 5, NOW)
    assert log.tokens(tmp_path, NOW).week == 15


def test_a_folder_that_cannot_be_written_costs_the_line_only(tmp_path):
    log.note_tokens(tmp_path / "gone", "a", 10, NOW)
