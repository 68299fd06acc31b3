"""The laws of architecture.md for Personnes.md, as properties over random notes and stories."""

import re

from hypothesis import given
from hypothesis import strategies as st

from config.paths import NAMES
from parsers.frame import frame_of
from parsers.model.edits import Remember
from tests.home import Home, temporary
from tests.peopled import OURS, SEEN, acts, names
from tests.rest import check_people
from tests.test_laws import _OTHER, _endings, _heads, _passage

_PEOPLE = ["- Marie — sœur", "- Paul ^p1", "* [[Marie]]", "- Marie", "1. Jeanne [depuis:: 2020]"]
_BELOW = ["\t- Aime le thé", "  - Dentiste : Dr Martin ^p2", "    - Court", "\t1. Nage", "\t\t- plus bas"]
_ANCHOR = re.compile(r" \^p\d(?=\s|\Z)")
_facts = st.sampled_from(["Lit le soir", "Dort tard", "Aime le thé"])


@st.composite
def _written(draw) -> str:
    """A Personnes.md with the person's own text around, between and below its lines."""
    end = draw(_endings)
    text = draw(_heads) + draw(_passage)
    inside = ""
    for line in draw(st.lists(st.sampled_from(_PEOPLE), max_size=4)):
        inside += line + end
        inside += "".join(one + end for one in draw(st.lists(st.sampled_from(_BELOW), max_size=3)))
        if draw(st.booleans()):
            inside += end + draw(_passage) + end
    text += f"## People{end}<!-- clavaire:begin people -->{end}{inside}<!-- clavaire:end people -->{end}"
    text += end + draw(_passage)
    return text.rstrip("\r\n") if draw(st.booleans()) else text


def _bare(text: str) -> list[str]:
    """The lines of a note without what is clavaire's in them; blanks at their ends make no difference.

    Nor does an anchor: of several lines with one only the first keeps it.
    """
    bare = (_ANCHOR.sub("", SEEN.sub("", OURS.sub("", line))) for line in text.split("\n"))
    return [re.sub(r"[ \t]+(?=\r?\Z)", "", line) for line in bare]


def _agents(home: Home, story: list[tuple[str, str | None, str]]) -> None:
    for text, about, origin in story:
        home.sync((), [Remember(text, "fact", origin, 0.9, about=about)])
        boxes = list(re.finditer(r"\[ \](?= .* \^c-\w{8}-(?:keep|new|a)\r?$)", home.cards(), re.MULTILINE))
        if boxes:
            start = boxes[0].start()
            home.write_cards(home.cards()[:start] + "[x]" + home.cards()[start + 3 :])


stories = st.lists(st.tuples(_facts, st.none() | names, st.sampled_from(["person", "mcp:x"])), max_size=4)


@given(_written(), stories, st.integers(0, 40))
def test_a_byte_of_the_persons_never_changes(text, story, days):
    with temporary({NAMES.people: text}) as home:
        home.rest()
        found = _bare(home.people())
        if "people" not in {one.name for one in frame_of(text).sections}:
            found = found[: len(_bare(text))]
        assert found[: len(_bare(text)) - 1] == _bare(text)[:-1]
        check_people(home)
        home.clock.advance(days=days)
        _agents(home, story)
        home.rest()
        kept = iter(_bare(home.people()))
        assert all(line in kept for line in _bare(text)[:-1]), "a line of the person's is gone or moved"
        before = home.snapshot()
        assert home.rest() == []
        assert home.snapshot() == before


@given(st.lists(acts, max_size=6), stories, st.sets(st.sampled_from(sorted(_OTHER))))
def test_an_index_made_anew_says_the_same_under_any_settings(edits, story, changed):
    with temporary() as home:
        home.rest()
        for act in edits:
            home.write_people(act(home.people()))
            home.sync()
        _agents(home, story)
        home.rest()
        check_people(home)
        before, usual = home.export(), dict(home.environ)
        assert before == home.folded()
        home.drop_index()
        home.restart(**{name: _OTHER[name] for name in changed})
        home.app.pipeline.rebuild()
        assert home.export() == before
        home.drop_index()
        home.environ = usual
        home.restart()
        home.rest()
        assert home.export() == before
