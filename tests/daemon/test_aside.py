from hypothesis import given
from hypothesis import strategies as st

from daemon.aside import secrets
from parsers.frame import difference, frame_of, shifted
from parsers.profile import follow, parse

_TOP, _END = "<!-- clavaire:begin facts -->\n", "<!-- clavaire:end facts -->\n"
lines = st.lists(
    st.sampled_from(("- clair\n", "- secret\n", "- clair\n  suite\n", "* secret\n  autre\n")), max_size=8
)


def _holds(spot):
    return "secret" in spot.says.wording.text


def _note(items):
    return f"# Profil\n\n{_TOP}{''.join(items)}{_END}"


@given(st.lists(lines, min_size=2, max_size=5))
def test_lines_with_secrets_are_the_same_whether_all_or_only_those_around_an_edit_are_looked_at(versions):
    text = _note(versions[0])
    frame = frame_of(text)
    said = parse(text, frame)
    known = secrets(None, said, _holds)
    for items in versions[1:]:
        new = _note(items)
        where = difference(text, new)
        moved, frame = shifted(frame, text, new, where), frame_of(new)
        said = follow(said, text, new, moved, where) if moved else parse(new, frame)
        known, text = secrets(known, said, _holds), new
        assert known.lines == [spot.line for spot in said.statements if _holds(spot)]
        assert known.lines == secrets(None, parse(new, frame_of(new)), _holds).lines
