"""`recall`, for one question and for many, and `context` (interfaces.md)."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from config.paths import NAMES
from tests.asking import asked, cli
from tests.home import Clock, temporary

FILES = {
    "Santé/Dentiste.md": "# Dentiste\n\nLe dentiste est rue Haute. ^p1\n",
    "Argent.md": "---\nsensible: oui\n---\nLe dentiste coûte 80 euros.\n",
    "Secret.md": "---\nprivé: oui\n---\nLe dentiste ment.\n",
}
HIT = {
    "kind", "id", "text", "note", "title", "heading", "line", "start", "end", "block", "score", "factors",
    "provenance", "sensitivity", "verified",
}  # fmt: skip


@pytest.fixture(scope="module")
def home():
    with temporary(FILES, clock=Clock(datetime.now(UTC) - timedelta(days=3))) as made:
        made.remember("Dentiste : Dr Petit")
        made.clock.advance(days=2)
        made.remember("Dentiste : Dr Martin")
        made.rest(10)
        yield made


def texts(hits):
    return [hit["text"] for hit in hits if hit["kind"] == "fact"]


def test_recall_prints_an_array_of_hits_best_first(home):
    hits = asked(home, "recall", "mon", "dentiste")
    assert all(set(hit) == HIT for hit in hits)
    assert [hit["score"] for hit in hits] == sorted((hit["score"] for hit in hits), reverse=True)
    assert texts(hits) == ["Dentiste : Dr Martin"]
    passage = next(hit for hit in hits if hit["note"] == "Santé/Dentiste.md")
    assert (passage["block"], passage["kind"]) == ("p1", "block")
    read = home.full("Santé/Dentiste.md").read_bytes()[passage["start"] : passage["end"]].decode()
    assert "rue Haute" in read


def test_the_person_is_told_what_is_private_too(home):
    assert {hit["note"] for hit in asked(home, "recall", "dentiste")} >= {"Secret.md", "Argent.md"}


def test_a_misspelt_word_finds_the_fact_as_it_is_known_or_was(home):
    begun = home.fact("Dentiste : Dr Petit").recorded_at[:10]
    for spelt in ("dentise", "dentiist"):
        assert texts(asked(home, "recall", spelt)) == ["Dentiste : Dr Martin"]
        assert texts(asked(home, "recall", spelt, "--known-at", begun)) == ["Dentiste : Dr Petit"]


def test_recall_as_of_and_as_known_at_a_day(home):
    begun = home.fact("Dentiste : Dr Petit").recorded_at[:10]
    assert texts(asked(home, "recall", "dentiste", "--as-of", begun)) == ["Dentiste : Dr Petit"]
    assert texts(asked(home, "recall", "dentiste", "--known-at", begun)) == ["Dentiste : Dr Petit"]


def test_known_at_a_time_without_a_zone_is_local_time(home):
    late = home.fact("Dentiste : Dr Martin").recorded_at
    local = datetime.fromisoformat(late).astimezone(home.zone) + timedelta(minutes=1)
    for spelt in (local.isoformat(), local.replace(tzinfo=None).isoformat()):
        assert texts(asked(home, "recall", "dentiste", "--known-at", spelt)) == ["Dentiste : Dr Martin"]
    earlier = (local - timedelta(minutes=2)).replace(tzinfo=None).isoformat()
    assert texts(asked(home, "recall", "dentiste", "--known-at", earlier)) == ["Dentiste : Dr Petit"]


def test_explain_shows_every_factor(home):
    code, out, _ = cli(home, "recall", "dentiste", "--explain", "-k", "1")
    assert code == 0
    for name in ("fusion", "confidence", "freshness", "entity", "date", "replaced", "fusion.words"):
        assert name in out


def test_a_folder_and_a_number_bound_the_answer(home):
    assert [hit["id"] for hit in asked(home, "recall", "dentiste", "--folder", "Santé")] == [
        "Santé/Dentiste.md#^p1"
    ]
    assert len(asked(home, "recall", "dentiste", "--limit", "2")) == 2


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["x", "--batch", "y"],
        ["--batch", "absent.jsonl"],
        ["--batch", "."],
        ["x", "--as-of", "demain"],
        ["x", "--known-at", "2026-13-01"],
        ["x", "-k", "0"],
    ],
)
def test_a_question_that_cannot_be_put_is_refused_in_one_sentence(home, arguments):
    code, out, err = cli(home, "recall", *arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)


def batch(home, *lines):
    file = home.folder / "questions.jsonl"
    file.write_bytes(
        b"\n".join(line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines)
    )
    code, out, err = cli(home, "recall", "--batch", str(file))
    return code, [json.loads(line) for line in out.splitlines()], err.splitlines()


def test_many_questions_are_answered_line_by_line(home):
    code, answers, err = batch(
        home,
        {"id": "a", "query": "dentiste"},
        {"id": 2, "query": "dentiste", "folder": "Santé", "k": 1, "more": "ignored"},
        {"id": "c", "query": "?"},
    )
    assert (code, err) == (0, [])
    assert [one["id"] for one in answers] == ["a", 2, "c"]
    (hit,) = answers[1]["hits"]
    assert set(hit) == {"note", "block", "start", "end", "score"}
    assert (hit["note"], hit["block"]) == ("Santé/Dentiste.md", "p1")
    assert answers[2]["hits"] == []
    assert len(answers[0]["hits"]) > 1


@pytest.mark.parametrize(
    "line",
    [
        b"{", b"\xff", b"[]", b'{"query": "x"}', b'{"id": 1}', b'{"id": 1, "query": 3}',
        b'{"id": 1, "query": "x", "k": 0}', b'{"id": 1, "query": "x", "k": true}',
        b'{"id": 1, "query": "x", "folder": 1}', b'{"id": NaN, "query": "x"}',
        b'{"id": 1, "query": "x", "more": -Infinity}',
    ],
)  # fmt: skip
def test_a_bad_line_is_named_and_the_others_go_on(home, line):
    code, answers, err = batch(
        home, {"id": 1, "query": "dentiste"}, line, b"", {"id": 2, "query": "dentiste"}
    )
    assert code == 1
    assert [one["id"] for one in answers] == [1, 2]
    assert len(err) == 1
    assert "2" in err[0]


def test_many_questions_leave_no_log(home):
    log = home.app.folder / NAMES.recalls
    before = log.read_bytes() if log.exists() else b""
    batch(home, {"id": 1, "query": "dentiste"})
    assert (log.read_bytes() if log.exists() else b"") == before


def test_a_context_is_one_block_for_an_agent(home):
    home.put(NAMES.now, "# Now — 2026-11-30\n\n## Étape courante\nRanger.\n")
    code, out, _ = cli(home, "context", "dentiste")
    assert code == 0
    assert out.startswith("<assistant-context>\n<now ")
    assert out.endswith("</assistant-context>\n")
    assert "Ranger." in out
    assert "Dr Martin" in out
    for word in ("Petit", "euros", "ment."):
        assert word not in out


def test_what_is_sensitive_is_given_only_when_the_person_asks_for_it(home):
    _, out, _ = cli(home, "context", "dentiste", "--private")
    assert "80 euros" in out
    assert "ment." in out


def test_a_context_says_what_is_in_it_and_keeps_to_its_budget(home):
    given = asked(home, "context", "dentiste", "--budget", "300")
    assert set(given) == {"text", "sections", "used", "budget", "hits"}
    assert given["used"] <= given["budget"] == 300
    assert all(set(hit) == HIT for hit in given["hits"])


def test_status_tells_the_tokens_that_were_given(home):
    before = asked(home, "status")["tokens"]
    used = asked(home, "context", "dentiste")["used"]
    after = asked(home, "status")["tokens"]
    assert after["week"] == before["week"] + used
    assert after["conversations"] == 1
    assert after["per_conversation"] == after["week"]


def test_a_context_quotes_no_note_that_is_gone_ignored_or_protected_since_the_last_pass(home):
    for name in ("un", "deux", "trois", "quatre"):
        home.put(f"Tas/{name}.md", f"le beffroi mot{name} sonne\n")
    home.rest()
    _, out, _ = cli(home, "context", "beffroi")
    assert [f"mot{name}" in out for name in ("un", "deux", "trois", "quatre")] == [True] * 4
    home.full("Tas/un.md").unlink()
    home.put(".clavaireignore", "Tas/deux.md\n")
    home.put("Tas/trois.md", "---\nprivé: oui\n---\nle beffroi mottrois sonne\n")
    code, out, _ = cli(home, "context", "beffroi")
    assert code == 0
    assert [f"mot{name}" in out for name in ("un", "deux", "trois", "quatre")] == [False, False, False, True]
    assert "Tas/deux" not in out
