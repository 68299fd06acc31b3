"""Tools that write: exactly what was planned, proved on the disk, undone to the byte, and nothing else changed."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from config.i18n import catalogue
from config.paths import NAMES
from daemon.tools.effects import Overlay, Past, VaultLook
from daemon.tools.errors import StepFailed, ToolError, sentence
from daemon.tools.hands import Hands
from daemon.tools.registry import BUILT_IN
from daemon.vault import errors
from daemon.vault.disk import etag_of
from daemon.vault.errors import VaultError
from parsers.errors import ClavaireError
from tests.daemon.tools.shared import NOTES, TOOLS, bytes_of, called, everything, opened, planned

CALLS: dict[str, dict[str, Any]] = {
    "note_create": {"path": "Neuf/Dossier/n.md", "text": "# Neuf\r\nsans fin"},
    "note_append": {"path": "Projet.md", "text": "une ligne\n"},
    "note_edit": {"path": "Projet.md", "old": "Appeler Zoé", "new": "Appeler Zoé et Léa"},
    "section_replace": {"path": "Réunions/2026-12-01.md", "heading": "Notes", "text": "Rien."},
    "property_set": {"path": "Projet.md", "key": "état", "value": "fermé"},
    "property_remove": {"path": "Projet.md", "key": "titre"},
    "task_add": {"path": "Projet.md", "text": "Relire", "due": "2026-12-24"},
    "task_set": {"path": "Projet.md", "task": "t1", "status": "done"},
    "note_move": {"path": "Projet.md", "to": "Archives/2026/Le projet.md"},
    "note_trash": {"path": "Autre.md"},
    "note_delete": {"path": "Autre.md"},
}
"""One call of each tool that writes notes and can be proposed."""
WRITING = [
    one.name for one in BUILT_IN if one.risk != "READ" and one.carried_by == "executor" and one.proposable
]


@pytest.fixture
def vault():
    with opened() as made:
        yield made


def test_every_tool_that_writes_notes_is_tested_here():
    assert sorted(CALLS) == sorted(WRITING)


@pytest.mark.parametrize("name", CALLS)
def test_a_call_changes_what_its_plan_says_and_nothing_else(vault, name):
    before = bytes_of(vault)
    effects, _ = called(vault, name, **CALLS[name])
    after = bytes_of(vault)
    changed = {path for path in {*before, *after} if before.get(path) != after.get(path)}
    assert changed == set(effects.writes)
    assert {
        path: etag_of(before[path]) if path in before else "" for path in effects.writes
    } == effects.before()
    assert {path: etag_of(after[path]) if path in after else "" for path in effects.writes} == effects.after()


@pytest.mark.parametrize("name", [name for name in CALLS if TOOLS[name].inverse])
def test_a_call_and_its_inverse_give_back_every_byte_and_so_does_undoing_that(vault, name):
    before = bytes_of(vault)
    _, inverse = called(vault, name, **CALLS[name])
    after = bytes_of(vault)
    assert inverse is not None
    _, again = called(vault, inverse.tool, **inverse.args)
    assert bytes_of(vault) == before
    assert again is not None
    called(vault, again.tool, **again.args)
    assert bytes_of(vault) == after


def test_what_is_deleted_for_good_says_that_it_has_no_inverse_and_keeps_its_bytes(vault):
    tool = TOOLS["note_delete"]
    assert tool.inverse is None
    assert (tool.risk, tool.flags) == ("DANGEROUS", {"permanent_delete"})
    called(vault, "note_delete", path="Autre.md")
    assert not (vault.root / NAMES.trash).exists()
    assert vault.backup(etag_of(NOTES["Autre.md"])) == NOTES["Autre.md"]


@pytest.mark.parametrize("name", CALLS)
def test_a_plan_is_the_same_each_time_and_changes_nothing(vault, name):
    before = everything(vault)
    assert planned(vault, name, **CALLS[name]) == planned(vault, name, **CALLS[name])
    assert everything(vault) == before


@pytest.mark.parametrize("name", CALLS)
def test_a_call_that_was_done_already_is_not_done_again(vault, name):
    tool, args = TOOLS[name], TOOLS[name].validated(CALLS[name])
    effects, _ = called(vault, name, **CALLS[name])
    before = everything(vault)
    tool.apply(args, Hands(vault), effects, "k")
    assert everything(vault) == before


@pytest.mark.parametrize("name", CALLS)
def test_a_note_that_changed_after_the_plan_is_left_as_it_is(vault, name):
    tool, args = TOOLS[name], TOOLS[name].validated(CALLS[name])
    effects = tool.plan(args, VaultLook(vault))
    target = effects.changes[0].path
    (vault.root / target).parent.mkdir(parents=True, exist_ok=True)
    (vault.root / target).write_bytes(b"the person's")
    before = everything(vault)
    with pytest.raises(StepFailed):
        tool.apply(args, Hands(vault), effects, "k")
    assert everything(vault) == before
    assert not tool.verify(args, VaultLook(vault), effects, "k")


@pytest.mark.parametrize("name", CALLS)
def test_a_version_that_is_not_the_expected_one_is_refused(vault, name):
    with pytest.raises(errors.NoteChanged):
        planned(vault, name, **CALLS[name], expected_etag=etag_of(b"another"))
    if name != "note_create":
        etag = etag_of(NOTES[CALLS[name]["path"]])
        assert planned(vault, name, **CALLS[name], expected_etag=etag) == planned(vault, name, **CALLS[name])


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize(
    "path",
    [
        NAMES.profile,
        NAMES.autonomy,
        f"{NAMES.plans}/x.md",
        "link.md",
        "Linked/a.md",
        "Ignored/a.md",
        "a.txt",
        ".md",
    ],
)
def test_no_tool_writes_what_is_not_its_to_write(vault, name, path):
    (vault.root / "link.md").symlink_to(vault.root / "Autre.md")
    (vault.root / "Linked").symlink_to(vault.root / "Réunions")
    (vault.root / NAMES.ignore_file).write_text("Ignored/\n")
    before = everything(vault)
    with pytest.raises((VaultError, ToolError)) as refused:
        planned(vault, name, **{**CALLS[name], "path": path})
    for locale in ("fr", "en"):
        assert "{" not in sentence(refused.value, catalogue(locale))
    if name == "note_move":
        with pytest.raises((VaultError, ToolError)):
            planned(vault, name, path="Autre.md", to=path)
    assert everything(vault) == before


@pytest.mark.parametrize(
    "name", [name for name in CALLS if name not in ("note_create", "note_trash", "note_delete")]
)
@pytest.mark.parametrize("path", ["Binaire.md", "Conflit.md"])
def test_a_note_that_is_not_utf8_or_holds_a_conflict_is_not_amended(vault, name, path):
    if name == "note_move":
        effects, _ = called(vault, name, path=path, to="Ailleurs.md")
        assert effects.changes[0].after == NOTES[path]
        return
    with pytest.raises(ClavaireError) as refused:
        planned(vault, name, **{**CALLS[name], "path": path})
    for locale in ("fr", "en"):
        assert sentence(refused.value, catalogue(locale))


HOSTILE = [
    "../dehors.md",
    "Notes/%2e%2e/%2e%2e/dehors.md",
    "Notes\\..\\..\\dehors.md",
    "{root}/dehors.md",
    "/dehors.md",
    "Notes/a\0.md",
    "Notes/../../dehors.md",
    "./dehors.md",
    "Notes//a.md",
    ".obsidian/a.md",
    "Notes/a\n.md",
    "",
]


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("path", HOSTILE)
def test_c25_a_step_that_leaves_the_vault_is_refused_and_nothing_is_made_anywhere(vault, name, path):
    spelt = path.format(root=vault.root.parent)
    before = everything(vault)
    with pytest.raises((VaultError, ToolError)):
        planned(vault, name, **{**CALLS[name], "path": spelt})
    if name == "note_move":
        with pytest.raises((VaultError, ToolError)):
            planned(vault, name, path="Autre.md", to=spelt)
    assert everything(vault) == before


@pytest.mark.parametrize("path", ["Notes/..bon..md", "Notes/.../x.md", "100%.md"])
def test_c25_an_ordinary_name_that_only_looks_odd_works(vault, path):
    called(vault, "note_create", path=path, text="bon")
    called(vault, "note_move", path="Autre.md", to=f"{path.removesuffix('.md')} 2.md")
    assert (vault.root / path).read_bytes() == b"bon"


def test_a_note_is_never_made_over_another_unless_asked_and_then_the_old_one_comes_back(vault):
    with pytest.raises(errors.NoteExists):
        planned(vault, "note_create", path="Autre.md", text="x")
    (vault.root / "folder.md").mkdir()
    with pytest.raises(errors.NotAFile):
        planned(vault, "note_create", path="folder.md", text="x", overwrite=True)
    _, inverse = called(vault, "note_create", path="Autre.md", text="x", overwrite=True)
    called(vault, inverse.tool, **inverse.args)
    assert bytes_of(vault) == NOTES


def test_an_inverse_leaves_alone_what_changed_since(vault):
    _, inverse = called(vault, "note_append", path="Autre.md", text="ajout")
    (vault.root / "Autre.md").write_bytes(b"the person's")
    with pytest.raises(errors.NoteChanged):
        planned(vault, inverse.tool, **inverse.args)


def test_a_trashed_note_comes_back_as_the_same_file_and_leaves_the_trash(vault):
    inode = (vault.root / "Autre.md").stat().st_ino
    _, inverse = called(vault, "note_trash", path="Autre.md")
    called(vault, inverse.tool, **inverse.args)
    assert (vault.root / "Autre.md").stat().st_ino == inode
    assert not [one for one in (vault.root / NAMES.trash).rglob("*") if one.is_file()]


def test_a_version_that_is_kept_nowhere_cannot_be_restored(vault):
    item = {"path": "Autre.md", "etag": "0" * 64, "expected": etag_of(NOTES["Autre.md"])}
    with pytest.raises(ToolError):
        planned(vault, "note_restore", notes=[item])


def test_a_move_changes_every_link_to_the_note_but_none_in_a_note_of_ours(vault):
    effects, _ = called(vault, "note_move", **CALLS["note_move"])
    assert effects.writes == ("Projet.md", "Archives/2026/Le projet.md", "Index.md", "Réunions/2026-12-01.md")
    after = bytes_of(vault)
    assert after[NAMES.profile] == NOTES[NAMES.profile]
    assert b"Le projet|P]]" in after["Index.md"]
    assert b"Le projet\\|P]]" in after["Index.md"]
    assert b"Le projet#^t1]]" in after["Index.md"]
    assert after["Index.md"].startswith(b"\xef\xbb\xbf")
    assert "Projet]]" not in after["Réunions/2026-12-01.md"].decode()


@pytest.mark.parametrize("stop", range(1, 4))
def test_a_move_that_a_crash_stopped_is_ended_from_what_was_recorded_when_it_started(vault, stop):
    tool, args = TOOLS["note_move"], TOOLS["note_move"].validated(CALLS["note_move"])
    effects = tool.plan(args, VaultLook(vault))
    for change in effects.changes[:stop]:
        Hands(vault).carry(change)
    past = Past(VaultLook(vault), effects.before())
    assert past.complete
    again = tool.plan(args, past)
    assert again.after() == effects.after()
    tool.apply(args, Hands(vault), again, "k")
    assert tool.verify(args, VaultLook(vault), again, "k")
    inverse = tool.inverse(args, again)
    called(vault, inverse.tool, **inverse.args)
    assert bytes_of(vault) == NOTES


def test_later_steps_are_planned_over_what_earlier_ones_would_do(vault):
    look = Overlay(VaultLook(vault))
    before = everything(vault)
    made = []
    for name, values in [
        ("note_create", {"path": "Neuf.md", "text": "# Neuf\n"}),
        ("note_append", {"path": "Neuf.md", "text": "[[Projet]]\n"}),
        ("note_move", {"path": "Projet.md", "to": "Projet 2.md"}),
        ("note_trash", {"path": "Autre.md"}),
        ("note_create", {"path": "Autre.md", "text": "autre"}),
    ]:
        effects = TOOLS[name].plan(TOOLS[name].validated(values), look)
        look.add(effects)
        made.append((name, values, effects))
    assert everything(vault) == before
    assert look.read("Neuf.md") == b"# Neuf\n\n[[Projet 2]]\n"
    for name, values, effects in made:
        assert called(vault, name, **values)[0] == effects
    assert sorted(look.paths()) == sorted(VaultLook(vault).paths())


def test_a_save_that_slips_in_at_the_last_moment_stands_and_the_step_fails(vault, monkeypatch):
    effects = planned(vault, "note_append", path="Autre.md", text="ajout")
    real = vault._writer._exchange

    def slow(draft, note):
        monkeypatch.setattr(vault._writer, "_exchange", real)
        (vault.root / "Autre.md").write_bytes(b"the person's")
        real(draft, note)

    monkeypatch.setattr(vault._writer, "_exchange", slow)
    with pytest.raises(StepFailed):
        Hands(vault).carry(effects.changes[0])
    assert bytes_of(vault) == {**NOTES, "Autre.md": b"the person's"}
    assert vault.late(0.0) == []


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@given(before=st.binary(max_size=60) | TEXTS.map(str.encode), added=TEXTS, heading=st.none() | st.just("A"))
def test_whatever_a_note_holds_an_append_is_undone_to_the_byte_or_refused(before, added, heading):
    with opened({"a.md": before, "b.md": b"x"}) as vault:
        try:
            _, inverse = called(vault, "note_append", path="a.md", text=added, heading=heading)
        except ClavaireError:
            assert bytes_of(vault) == {"a.md": before, "b.md": b"x"}
            return
        called(vault, inverse.tool, **inverse.args)
        assert bytes_of(vault) == {"a.md": before, "b.md": b"x"}


UNDOABLE = st.sampled_from([name for name in CALLS if name != "note_delete"])


@given(steps=st.lists(UNDOABLE, min_size=2, max_size=5, unique=True))
def test_several_steps_are_undone_in_reverse_order_to_the_byte(steps):
    with opened() as vault:
        undo = []
        for name in steps:
            try:
                undo.append(called(vault, name, **CALLS[name])[1])
            except ClavaireError:  # an earlier step moved its note away
                continue
        for inverse in reversed(undo):
            called(vault, inverse.tool, **inverse.args)
        assert bytes_of(vault) == NOTES


@given(path=st.text(st.sampled_from("ab./\\%2e\0 é\n:"), max_size=14))
def test_whatever_a_path_is_a_plan_is_refused_or_writes_below_the_vault(path):
    with opened({"a.md": b"x"}) as vault:
        before = everything(vault)
        try:
            called(vault, "note_create", path=f"{path}.md", text="x")
        except ClavaireError:
            after = everything(vault)
        else:
            after = everything(vault)
            made = set(after) - set(before)
            assert all(one.startswith("vault/") for one in made)
        assert {one: after.get(one) for one in before} == before
