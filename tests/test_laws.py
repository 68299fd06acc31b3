"""The laws of architecture.md, as properties over random stories: real files, a real register, a real index.

Laws 5, 6 and 9 are about plans and follow with them.
"""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from config.paths import NAMES
from daemon import managed
from daemon.journal import known
from daemon.memory.state import fold
from daemon.permits import exported
from daemon.reading import canonical, export
from daemon.runs.state import fold as fold_runs
from daemon.source import source
from parsers.frame import frame_of
from parsers.model.edits import Correct, Forget, Remember
from parsers.model.facts import SECTION_OF
from parsers.model.places import Etag
from tests.home import Home, temporary
from tests.person import OUR_ID, SECTIONS, Act, acts, add, indices, page, wordings
from tests.rest import check_lines, check_words
from tests.seams import SLIPS, slipping

Step = Callable[[Home], None]
"""One thing that happens to a vault."""


def _person(act: Act) -> Step:
    def step(home: Home) -> None:
        home.write_profile(act(home.profile()))

    return step


def _agent(wording: tuple[str, ...], kind: str, origin: str) -> Step:
    def step(home: Home) -> None:
        home.sync((), [Remember("\n".join(wording), kind, origin, 0.6)])

    return step


def _terminal(index: int, wording: tuple[str, ...] | None) -> Step:
    """Forget a fact, or correct it when there are words."""

    def step(home: Home) -> None:
        names = list(home.state.facts)
        if names:
            name = names[index % len(names)]
            home.sync((), [Correct(name, wording[0]) if wording else Forget(name)])

    return step


def _tick(index: int) -> Step:
    def step(home: Home) -> None:
        boxes = list(re.finditer(r"\[ \](?= .* \^c-\w{8}-\w+\r?$)", home.cards(), re.MULTILINE))
        if boxes:
            start = boxes[index % len(boxes)].start()
            home.write_cards(home.cards()[:start] + "[x]" + home.cards()[start + 3 :])

    return step


def _wait(**time: float) -> Step:
    return lambda home: home.clock.advance(**time)


def _sync(home: Home) -> None:
    home.sync()


kinds = st.sampled_from([*SECTION_OF])
not_the_person = st.one_of(
    st.builds(_agent, wordings, kinds, st.sampled_from(["mcp:x", "http"])),
    st.builds(_agent, wordings, kinds, st.just("person")),
    st.builds(_terminal, indices, st.none() | wordings),
    st.builds(_tick, indices),
    st.sampled_from([_wait(minutes=11), _wait(days=1), _wait(days=31), _sync, _sync]),
)
stories = st.lists(st.one_of(st.builds(_person, acts), not_the_person), max_size=12)


def _play(home: Home, story: list[Step]) -> None:
    for step in story:
        step(home)


# ---- 1. The vault is the truth

_OTHER = {
    "GENERAL__LOCALE": "en",
    "GENERAL__TIMEZONE": "Pacific/Kiritimati",
    "MEMORY__EDIT_WINDOW": "1",
    "MEMORY__REJECTION_DAYS": "1",
    "MEMORY__SENSITIVE_PATTERNS": '["thé", "Dentiste"]',
    "CARDS__PER_DAY": "1",
}


@given(stories, st.sets(st.sampled_from(sorted(_OTHER))))
def test_an_index_made_anew_says_the_same_under_any_settings_and_in_any_time_zone(story, changed):
    with temporary() as home:
        _play(home, story)
        home.rest()
        before, usual = home.export(), dict(home.environ)
        home.drop_index()
        home.restart(**{name: _OTHER[name] for name in changed})
        home.app.pipeline.rebuild()
        assert home.export() == before
        home.drop_index()
        home.environ = usual
        home.restart()
        home.app.pipeline.rebuild()
        home.rest()
        assert home.export() == before


@given(stories)
def test_a_process_that_opens_the_vault_knows_what_the_last_one_knew(story):
    with temporary() as home:
        _play(home, story)
        home.sync()
        before = home.export()
        home.restart()
        home.app.pipeline.submit(())
        assert home.export() == before == home.folded()


# ---- 2. Not a byte outside our sections changes

_odd = st.text(st.sampled_from("aé' \t\r#>|:%`=*_[]<!-^\u2028\x0b\x85\x0c\u00a0💧\0"), max_size=12)
_odd_line = st.builds(
    lambda odd, end: f"L{odd}{end}".replace("\n", ""), _odd, st.sampled_from(["", "  ", "\t", "\\"])
)
_endings = st.sampled_from(["\n", "\r\n"])
_passage = st.lists(st.tuples(_odd_line | st.just(""), _endings), max_size=5).map(
    lambda lines: "".join(line + end for line, end in lines)
)
_heads = st.sampled_from(
    ["", "---\nalias: 'Moi'   # oui\nz: \"2\"\na: [1,2]\n---\n", "\ufeff", "\ufeff# Moi\r\n"]
)


@st.composite
def _written_profiles(draw):
    """A Profil.md with the person's own text around and inside well-formed sections."""
    text = draw(_heads) + draw(_passage)
    for name in draw(st.permutations(SECTIONS)):
        end = draw(_endings)
        items = draw(
            st.lists(st.sampled_from(["- Aime le thé", "- Dentiste : Dr Martin ^p1", "- x"]), max_size=2)
        )
        inside = "".join(item + end for item in items) + (
            end + draw(_passage) + end if draw(st.booleans()) else ""
        )
        text += (
            f"## {name}{end}<!-- clavaire:begin {name} -->{end}{inside}<!-- clavaire:end {name} -->{end}{end}"
        )
        text += draw(_passage)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


@given(_written_profiles(), stories, st.sampled_from([0o600, 0o644, 0o664]), st.binary(max_size=80))
def test_a_byte_of_the_persons_never_changes(text, story, mode, other):
    files = {
        NAMES.profile: text,
        "Autre.md": other,
        "Dossier/Note.md": b"- x ^f-00000000\r\n",
        "image.png": other,
    }
    with temporary(files, start=False) as home:
        home.full(NAMES.profile).chmod(mode)
        home.full("Autre.md").chmod(mode)
        untouched = home.snapshot(NAMES.assistant)
        home.init()
        assert home.profile().startswith(text)
        home.rest()
        for step in story:
            before = home.profile()
            step(home)
            saved = before if step is _sync else home.profile()
            home.rest()
            _check_untouched(saved, home.profile())
        assert home.snapshot(NAMES.assistant) == untouched
        assert home.full(NAMES.profile).stat().st_mode & 0o777 == mode


def _check_untouched(saved: str, now: str) -> None:
    if frame_of(saved).faults:
        assert now == saved
    assert page(now).skeleton == page(saved).skeleton


@given(_written_profiles(), st.lists(not_the_person, max_size=8))
def test_agents_and_the_clock_change_no_byte_but_in_lines_of_ours(text, story):
    with temporary({NAMES.profile: text}) as home:
        home.rest()
        before = home.profile()
        _play(home, story)
        home.rest()
        assert page(home.profile()).skeleton == page(before).skeleton


@given(st.data())
def test_a_note_read_from_what_differs_is_read_as_if_it_were_new(data):
    old = data.draw(_written_profiles())
    new = old
    for act in data.draw(st.lists(acts, min_size=1, max_size=2)):
        new = act(new)
    if data.draw(st.booleans()):
        at = data.draw(st.integers(0, len(new)))
        new = new[:at] + data.draw(_odd) + new[at + data.draw(st.integers(0, 3)) :]
    assume(new.strip("\ufeff \t\r\n"))
    earlier = source(NAMES.profile, old.encode("utf-8"), Etag("old"))
    quick = source(NAMES.profile, new.encode("utf-8"), Etag("new"), earlier=earlier)
    whole = source(NAMES.profile, new.encode("utf-8"), Etag("new"))
    assert quick.problems == whole.problems
    if quick.profile and whole.profile:
        assert (quick.frame, quick.profile.strays) == (whole.frame, whole.profile.strays)
        assert [*quick.profile.statements] == [*whole.profile.statements]


# ---- 3. Rendering is idempotent


@given(stories)
def test_at_rest_a_pass_writes_nothing_and_records_nothing(story):
    with temporary() as home:
        _play(home, story)
        home.rest()
        before, shown = home.snapshot(), home.export()
        for _ in range(2):
            outcome = home.sync()
            assert (outcome.records, outcome.written) == ((), ())
        assert home.snapshot() == before
        assert home.export() == shown


@given(stories)
def test_at_rest_rendering_what_was_parsed_gives_the_text_that_was_read(story):
    with temporary() as home:
        _play(home, story)
        home.rest()
        showing = home.app.pipeline.around.showing(home.app.pipeline.around.moment(home.state))
        for path in (NAMES.profile, NAMES.people, NAMES.cards):
            reading = home.app.vault.read(path)
            one = source(path, reading.data, reading.etag)
            wanted = managed.wanted(one, home.state, showing)
            assert wanted is None or wanted.text.encode("utf-8") == reading.data
        assert managed.journal(known(home.app.history), showing) == home.journal()


# ---- 4. Everything is an edit


@given(stories)
def test_every_change_of_the_state_is_a_record_that_says_who_made_it(story):
    with temporary() as home:
        for step in story:
            step(home)
            known, runs = home.told(), home.told_runs()
            outcome = home.sync()
            for record in outcome.records:
                fold(known, record)
                fold_runs(runs, record)
                assert record.by in ("person", "scheduled", "mcp:x", "http")
                assert record.raw
            assert canonical(export(known, exported(runs))) == home.export() == home.folded()


@given(wordings, kinds)
def test_what_an_agent_says_bears_its_name_and_waits(wording, kind):
    with temporary() as home:
        home.rest()
        outcome = home.sync((), [Remember("\n".join(wording), kind, "mcp:x", 0.6)])
        assert {record.by for record in outcome.records} == {"mcp:x"}
        assert home.facts() == []
        assert len(home.facts("pending")) == 1


# ---- 7. A human's bytes win


@given(st.lists(acts, max_size=3), acts, st.sampled_from(SLIPS), st.booleans())
def test_a_save_that_slips_into_a_pass_is_read_and_nothing_of_it_is_lost(first, second, when, plain):
    """`plain`: on a file system that knows no exchange, the note is overwritten in place."""
    with temporary() as home:
        home.rest()
        text = home.profile()
        for act in (add("facts", 0, ("Avant",)), *first):
            text = act(text)
        home.write_profile(text)
        assume(second(text).strip("\ufeff \t\r\n"))
        with slipping(home, when, lambda: second(text), plain=plain) as slipped:
            home.sync()
        saved = [text, *slipped][-1]
        home.rest()
        check_words(home, saved, home.profile())
        check_lines(home, home.profile())
        home.clock.advance(minutes=2)
        home.rest()
        versions = [path.read_bytes() for path in (home.app.folder / NAMES.backups).glob("*")]
        assert saved.encode("utf-8") in (*versions, home.profile().encode("utf-8"))


# ---- 8. Absence is not a wish


@given(st.integers(1, 16), st.data(), st.sampled_from(SECTIONS))
def test_lines_that_go_all_at_once_are_held_and_asked_about_others_are_deleted(stood, data, section):
    gone = data.draw(st.sets(st.integers(1, stood), min_size=1))
    with temporary() as home:
        for number in range(1, stood + 1):
            home.add_line(f"- Ligne {number} de {stood}", section)
        home.rest()
        home.clock.advance(minutes=data.draw(st.sampled_from([0, 11])))
        for number in gone:
            line = re.search(rf"- Ligne {number} de .*\n", home.profile())
            home.replace(line[0], "")
        home.rest()
        sudden = (len(gone) >= 5 and 3 * len(gone) >= stood) or (len(gone) == stood >= 2)
        texts = sorted(f"Ligne {number} de {stood}" for number in gone)
        assert home.facts("held") == (texts if sudden else [])
        assert home.facts("rejected") == ([] if sudden else texts)
        assert len(home.open_cards("loss")) == sudden
        assert not any(f"- {text} " in home.profile() for text in texts)
        if sudden:
            home.tick(texts[0], "restore")
            home.rest()
            assert all(f"- {text} ^f-" in home.profile() for text in texts)
            assert len(home.facts()) == stood


@pytest.mark.parametrize("how", ["vanished", "empty", "blank"])
@given(number=st.integers(1, 6))
def test_a_note_that_vanished_or_was_emptied_takes_no_fact_with_it(how, number):
    with temporary() as home:
        for line in range(number):
            home.add_line(f"- Ligne {line}")
        home.rest()
        before, facts = home.profile(), home.facts()
        home.full(NAMES.profile).unlink()
        if how != "vanished":
            home.write_profile("" if how == "empty" else "\ufeff\r\n \n")
        home.rest()
        assert home.facts("held") == facts
        assert home.facts("rejected") == []
        assert len(home.open_cards("loss")) == 1
        home.write_profile(before)
        home.rest()
        assert home.facts() == facts
        assert home.profile() == before
        assert home.open_cards() == []


@given(st.integers(1, 7), st.data())
def test_a_line_missing_when_nobody_remembers_what_stood_is_put_back(number, data):
    with temporary() as home:
        for line in range(number):
            home.add_line(f"- Ligne {line}")
        home.rest()
        facts = home.facts()
        for line in data.draw(st.sets(st.integers(0, number - 1), min_size=1)):
            home.replace(re.search(rf"- Ligne {line} .*\n", home.profile())[0], "")
        home.drop_index()
        home.rest()
        assert home.facts() == facts
        assert all(f"- {text} ^f-" in home.profile() for text in facts)


# ---- 10. Events are hints, the scan is the truth

_NOTES = ("Note 0.md", "Dossier/Note 1.md", "Dossier/Note 2.md", "É.md")
_changes = st.lists(
    st.one_of(
        st.tuples(st.just("line"), st.sampled_from(SECTIONS)),
        st.tuples(st.just("write"), st.sampled_from(_NOTES)),
        st.tuples(st.just("delete"), st.sampled_from(_NOTES)),
        st.tuples(st.just("move"), st.sampled_from(_NOTES)),
    ),
    max_size=8,
)


def _change(home: Home, number: int, what: str, where: str) -> list[str]:
    """Make one change; gives the paths an event would name."""
    if what == "line":
        home.add_line(f"- Ligne {number}", where)
        return [NAMES.profile]
    full = home.full(where)
    if what == "write":
        home.put(where, f"# Titre {number}\n\nUn mot{number} ici.\n")
        return [where]
    if full.exists() and what == "delete":
        full.unlink()
        return [where]
    if full.exists():
        full.rename(home.full(f"Ailleurs {number}.md"))
        return [where, f"Ailleurs {number}.md"]
    return []


def _result(home: Home) -> object:
    """What a vault came to, without ids: they are drawn by chance."""
    facts = [replace(versions[-1], id="", anchor=None) for versions in home.state.facts.values()]
    index = home.app.history.index.connection
    notes = index.execute(
        "SELECT path, title, etag FROM notes WHERE path NOT LIKE '99_%' ORDER BY path"
    ).fetchall()
    words = index.execute(
        "SELECT notes.path, blocks.line, blocks.text FROM blocks JOIN notes ON notes.id = blocks.id >> 20"
        " WHERE path NOT LIKE '99_%' ORDER BY 1, 2"
    ).fetchall()
    return OUR_ID.sub("", home.profile()), sorted(map(str, facts)), notes, words


@given(_changes, st.data())
def test_events_lost_doubled_or_in_another_order_change_nothing(changes, data):
    with temporary() as seen, temporary() as hinted:
        for home in (seen, hinted):
            home.rest()
        past: list[str] = []
        for number, (what, where) in enumerate(changes):
            _change(seen, number, what, where)
            seen.sync()
            past += _change(hinted, number, what, where)
            hints = data.draw(st.lists(st.sampled_from([*past, NAMES.profile, "Rien.md"]), max_size=3))
            if hints:
                hinted.sync(hints)
        hinted.sync()
        assert _result(hinted) == _result(seen)
