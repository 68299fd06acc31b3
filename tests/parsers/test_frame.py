"""An edit inside a section gives what reading the whole note again gives."""

from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.frame import difference, frame_of, shifted
from parsers.profile import follow, parse

_LINES = st.sampled_from(
    [
        *(
            "- thé",
            "- café ^f-00000001",
            "- a ^f-00000002",
            "  suite",
            "paresse",
            "\t- enfant",
            "  - enfant",
            " - un",
        ),
        *(
            "* étoile",
            "1. un",
            "12) deux",
            "",
            "",
            "# titre",
            "> cité",
            "- [ ] x",
            "-",
            "-  deux",
            "    code",
            "***",
        ),
        *(
            "texte",
            "- clé : valeur [depuis:: 2026] ^p1",
            "---",
            "- # t",
            "- x\r",
            "- - y",
            "```",
            "<div>",
            "%%",
        ),
    ]
)
_OTHERS = st.lists(_LINES.filter(lambda line: not line.startswith(("`", "<", "%"))), max_size=7)
_ANY = st.lists(_LINES, max_size=7)


def note(*parts):
    preferences, facts = ("".join(line + "\n" for line in lines) for lines in parts)
    return (
        "# Profil\n\n## A\n<!-- clavaire:begin preferences -->\n"
        f"{preferences}<!-- clavaire:end preferences -->\n\n- à côté\n## B\n"
        f"<!-- clavaire:begin facts -->\n{facts}<!-- clavaire:end facts -->\nfin"
    )


@settings(max_examples=300, deadline=None)
@given(_OTHERS | _ANY, _OTHERS | _ANY, _OTHERS | _ANY, st.booleans())
def test_following_an_edit_gives_what_parsing_the_whole_note_gives(one, other, new, second):
    old_text = note(one, other)
    new_text = note(one, new) if second else note(new, other)
    old = frame_of(old_text)
    if old.faults:
        return
    where = difference(old_text, new_text)
    frame = shifted(old, old_text, new_text, where)
    if frame is None:
        return
    assert frame == frame_of(new_text)
    said = follow(parse(old_text, old), old_text, new_text, frame, where)
    assert said == parse(new_text, frame)
    assert said.statements[: said.head] == parse(old_text, old).statements[: said.head]


@given(st.text("ab\n\r", max_size=30), st.text("ab\n\r", max_size=30))
def test_a_difference_names_all_that_differs(old, new):
    where = difference(old, new)
    assert old[: where.start] == new[: where.start]
    assert old[where.stop :] == new[where.fresh_stop :]
    assert where.start == 0 or old[where.start - 1] == "\n"
