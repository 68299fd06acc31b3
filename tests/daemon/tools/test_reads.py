"""Tools that read: what they give, where it came from, and what this reader never sees."""

import pytest

from daemon.tools.errors import ToolError
from daemon.tools.registry import BUILT_IN
from daemon.vault import errors
from daemon.vault.disk import etag_of
from tests.daemon.tools.shared import NOTES, everything, opened, read

FILES = {
    **NOTES,
    "Web/page.md": b"- [ ] Lire [due:: 2026-12-02] ^w1\n- [/] Noter \xf0\x9f\x93\x85 2026-11-30\n",
    "Privé/secret.md": b"- [ ] cacher\n",
    "Sans tâche.md": b"`- [ ] non`\n```\n- [ ] non\n```\n",
}


@pytest.fixture
def vault():
    with opened(FILES) as made:
        yield made


def private(path):
    return path.startswith("Privé/")


def test_a_note_is_given_with_the_etag_of_its_bytes_and_where_it_came_from(vault):
    [page] = read(vault, "note_read", path="Web/page.md")
    assert (page.source, page.provenance) == ("Web/page.md", "web")
    assert page.value["etag"] == etag_of(FILES["Web/page.md"])
    assert page.value["text"].encode() == FILES["Web/page.md"]


@pytest.mark.parametrize("path", ["Privé/secret.md", "lien.md", "absente.md"])
def test_a_note_this_reader_does_not_see_is_one_that_is_not_there_whatever_leads_to_it(vault, path):
    (vault.root / "lien.md").symlink_to(vault.root / "Privé/secret.md")
    with pytest.raises(errors.NoteMissing):
        read(vault, "note_read", path=path, hidden=private)


@pytest.mark.parametrize("path", ["../x.md", ".obsidian/app.json", "/etc/passwd"])
def test_nothing_outside_the_vault_is_read(vault, path):
    with pytest.raises(errors.OutsideVault):
        read(vault, "note_read", path=path)


def test_notes_are_listed_below_a_folder_and_by_a_pattern(vault):
    def paths(**args):
        [listed] = read(vault, "note_list", hidden=private, **args)
        return listed.value

    assert paths(folder="Réunions/") == ["Réunions/2026-12-01.md"]
    assert paths(glob="**/2026-*.md") == ["Réunions/2026-12-01.md"]
    assert paths(glob="*jet.md") == ["Projet.md"]
    assert "Privé/secret.md" not in paths()
    assert "Web/page.md" in paths()
    assert paths(glob="[W]eb/*") == []


def test_a_search_gives_each_note_with_its_provenance_and_a_bounded_number(vault):
    [hit] = read(vault, "note_search", query="projet")
    assert (hit.source, hit.provenance, hit.value["path"]) == ("Projet.md", "vault", "Projet.md")
    assert read(vault, "note_search", query="x", hidden=lambda path: path == "Projet.md") == ()
    for limit in (0, 101):
        with pytest.raises(ToolError):
            read(vault, "note_search", query="x", limit=limit)


def test_tasks_are_those_obsidian_shows_with_id_state_and_day(vault):
    def tasks(**args):
        outputs = read(vault, "task_list", hidden=private, **args)
        return {
            (one.source, task["text"], task["status"], task["id"], task["due"])
            for one in outputs
            for task in one.value
        }

    assert tasks(folder="Web") == {
        ("Web/page.md", "Lire [due:: 2026-12-02] ^w1", "todo", "w1", "2026-12-02"),
        ("Web/page.md", "Noter 📅 2026-11-30", "in_progress", None, "2026-11-30"),
    }
    assert {task[1] for task in tasks(status="done")} == {"Écrire"}
    assert {task[1] for task in tasks(due_before="2026-12")} == {"Noter 📅 2026-11-30"}
    assert not [task for task in tasks() if task[0] in ("Privé/secret.md", "Sans tâche.md")]
    with pytest.raises(ToolError):
        tasks(due_before="demain")


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("note_read", {"path": "Projet.md"}),
        ("note_search", {"query": "x"}),
        ("note_list", {}),
        ("task_list", {}),
    ],
)
def test_reading_changes_nothing_and_has_nothing_to_apply(vault, name, args):
    before = everything(vault)
    read(vault, name, **args)
    assert everything(vault) == before
    [tool] = [one for one in BUILT_IN if one.name == name]
    assert (tool.risk, tool.apply, tool.verify, tool.inverse) == ("READ", None, None, None)


COMMENTED = b"""a %%code 7319%% b

%%
- [ ] 7319
%%
- [ ] faire %%7319%% vite
<!-- 7319 -->
"""


def test_a_reader_outside_gets_no_comment_and_the_etag_of_the_whole_note():
    with opened({"n.md": COMMENTED}) as vault:
        [inside], [outside] = (read(vault, "note_read", path="n.md", external=one) for one in (False, True))
        assert inside.value["text"].encode() == COMMENTED
        assert "7319" not in outside.value["text"]
        assert outside.value["text"].startswith("a  b\n")
        assert inside.value["etag"] == outside.value["etag"] == etag_of(COMMENTED)
        [found] = read(vault, "task_list", external=True)
        assert [task["text"] for task in found.value] == ["faire  vite"]
