import unicodedata

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from daemon.index import notes
from daemon.index.problems import problems
from daemon.index.search import search
from daemon.index.store import Index
from parsers.model.places import Problem

NFD_ETE = unicodedata.normalize("NFD", "Été.md")


def found(settled, query):
    return [hit.path for hit in search(settled.index.connection, query)]


def unverified(settled):
    return [path for (path,) in settled.index.connection.execute("SELECT path FROM notes WHERE NOT verified")]


def dump(index):
    """Every row of the notes, under paths and not under ids."""
    db = index.connection
    path_of = dict(db.execute("SELECT id, path FROM notes"))
    rows = {"notes": sorted(row[1:] for row in db.execute("SELECT * FROM notes"))}
    for table in ("blocks", "links", "tags"):
        numbered = db.execute(f"SELECT * FROM {table}").fetchall()
        rows[table] = sorted(
            (path_of[row[0] >> 20], row[0] & 0xFFFFF, *map(str, row[1:])) for row in numbered
        )
    db.execute("CREATE VIRTUAL TABLE temp.seen USING fts5vocab(main, words, instance)")
    found = db.execute("SELECT doc, col, offset, term FROM seen").fetchall()
    rows["words"] = sorted((path_of[row[0] >> 20], row[0] & 0xFFFFF, *row[1:]) for row in found)
    db.execute("DROP TABLE temp.seen")
    lengths = db.execute("SELECT id, sz FROM words_docsize").fetchall()
    rows["lengths"] = sorted((path_of[row >> 20], row & 0xFFFFF, size) for row, size in lengths)
    rows["known"] = db.execute(
        "SELECT word FROM vocabulary JOIN terms ON term = word ORDER BY word"
    ).fetchall()
    return rows


def test_a_note_is_added_changed_and_removed(settled):
    settled.put("A.md", "zinnia")
    assert settled.settle().added == ("A.md",)
    settled.put("A.md", "dahlia et rose")
    assert settled.settle().changed == ("A.md",)
    assert (found(settled, "zinnia"), found(settled, "dahlia")) == ([], ["A.md"])
    (settled.root / "A.md").unlink()
    assert settled.settle().removed == ("A.md",)
    assert found(settled, "dahlia") == []


@pytest.mark.parametrize("by_scan", [True, False])
def test_c21_words_of_changed_and_deleted_notes_lead_nowhere(settled, by_scan):
    def settle(path):
        return settled.settle() if by_scan else settled.saved(path)

    settled.put("A.md", "zinnia\n")
    settle("A.md")
    settled.put("A.md", "dahlia et autre\n")
    settle("A.md")
    (settled.root / "A.md").unlink()
    settle("A.md")
    settled.put("B.md", "tulipe\n")
    settle("B.md")
    queries = ("zinnia", "dahlia", "tulipe")
    before = [search(settled.index.connection, query) for query in queries]
    assert [[hit.path for hit in hits] for hits in before] == [[], [], ["B.md"]]
    assert notes.count(settled.index) == 1
    settled.rebuilt()
    assert [search(settled.index.connection, query) for query in queries] == before


def test_c05_the_body_is_indexed_when_the_properties_cannot_be_read(settled):
    text = "---\ntitre: Réunion: budget\ncréé: {{date}}\n---\nTexte sur la girolle.\n"
    settled.put("A.md", text)
    settled.settle()
    assert found(settled, "girolle") == ["A.md"]
    assert (settled.root / "A.md").read_text() == text


def test_an_incremental_index_equals_a_rebuilt_one(settled):
    for n in range(30):
        settled.put(
            f"D{n % 3}/N{n}.md", f"# Titre {n}\n\nmot{n} [[N{n + 1}|x]] #tag{n % 4}\n\n## Suite\n\nfin{n}\n"
        )
    settled.settle()
    for n in range(0, 30, 3):
        settled.put(f"D{n % 3}/N{n}.md", f"texte neuf {n} [[N{n}#Suite]]\n")
    (settled.root / "D1/N4.md").unlink()
    (settled.root / "D1").rename(settled.root / "Ailleurs")
    (settled.root / "D2/N5.md").rename(settled.root / "D2/Autre nom.md")
    settled.settle()
    settled.put("D2/N8.md", "encore\n")
    settled.saved("D2/N8.md")
    before = dump(settled.index)
    assert dump(settled.rebuilt()) == before


HEADS = st.sampled_from(["", "", "---\naliases: [Fleur]\n---\n", "---\nlang: en\n---\n", "# Titre\n\n"])
PARTS = st.sampled_from(
    [
        "## Suite",
        "Les fleurs dansaient dans la cour ^b-1",
        "The flowers were dancing in the yard ^b-2",
        "- une tâche ^b-3\n- une autre ^b-4",
        "> [!note] encadré\n> les réunions",
        "court ^b-5",
        "mot " * 60,
        "%%caché%%",
    ]
)
VERSIONS = st.lists(st.tuples(HEADS, st.lists(PARTS, max_size=6)), min_size=2, max_size=4)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(versions=VERSIONS)
def test_law_10_a_note_edited_in_part_is_searched_as_if_it_had_been_read_anew(
    tmp_path_factory, settled, versions
):
    folder = tmp_path_factory.mktemp("parts")
    law = type(settled)(folder / "vault", folder / "state")
    for head, parts in versions:
        law.put("A.md", head + "\n\n".join(parts) + "\n")
        law.settle()
    before = dump(law.index)
    assert dump(law.rebuilt()) == before
    law.index.close()


NAMES = st.sampled_from(["A.md", "b.md", "Été.md", NFD_ETE, "D/A.md", "D/E/c.md", "会.md"])
TEXTS = st.sampled_from(
    ["", "tulipe", "# T\n\nrose [[A]] #t\n", "---\naliases: [x]\n---\nmot %%caché%%\n", "会議は", "rose"]
)
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), NAMES, TEXTS),
        st.tuples(st.just("delete"), NAMES),
        st.tuples(st.just("rename"), NAMES, NAMES),
        st.tuples(st.just("scan")),
        st.tuples(st.just("unseen")),
    ),
    max_size=12,
)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=40)
@given(steps=STEPS, by_scan=st.booleans())
def test_law_10_whatever_happens_and_is_heard_the_index_equals_a_rebuilt_one(
    tmp_path_factory, settled, steps, by_scan
):
    folder = tmp_path_factory.mktemp("law")
    law = type(settled)(folder / "vault", folder / "state")
    for action, *names in steps:
        full = [law.root / name for name in names[:2]]
        if action == "put":
            law.put(*names)
        elif action == "scan":
            law.settle()
        elif action == "unseen":
            law.unseen = lambda path: path.startswith("D/")
            law.settle()
            law.unseen = None
        elif full[0].exists():
            full[-1].parent.mkdir(parents=True, exist_ok=True)
            full[0].unlink() if action == "delete" else full[0].rename(full[1])
        if not by_scan and names:
            law.saved(*names[: 1 if action == "put" else 2])
    law.settle()
    before = dump(law.index)
    assert dump(law.rebuilt()) == before
    law.index.close()


def test_nothing_is_opened_when_nothing_changed(settled):
    for n in range(20):
        settled.put(f"{n}.md", f"texte {n}")
    settled.settle()
    settled.opened.clear()
    before = settled.index.connection.total_changes
    assert not settled.settle()
    assert settled.opened == []
    assert settled.index.connection.total_changes == before


def test_only_the_note_that_changed_is_opened(settled):
    for n in range(20):
        settled.put(f"{n}.md", f"texte {n}")
    settled.settle()
    settled.opened.clear()
    settled.put("7.md", "autre texte")
    assert settled.settle().changed == ("7.md",)
    assert settled.opened == ["7.md"]


def test_equal_bytes_under_a_new_stamp_are_no_change(settled, touched):
    settled.put("A.md", "texte")
    settled.settle()
    before, ids = settled.index.connection.total_changes, settled.ids()
    touched(settled.root / "A.md")
    assert not settled.settle()
    assert settled.index.connection.total_changes == before + 1
    settled.opened.clear()
    assert not settled.settle()
    assert (settled.opened, settled.ids()) == ([], ids)


def test_a_rename_keeps_the_row_and_opens_nothing_while_the_title_stays(settled):
    settled.put("Avant/A.md", "tulipe")
    settled.settle()
    ids = settled.ids()
    settled.opened.clear()
    (settled.root / "Avant").rename(settled.root / "Après")
    changes = settled.settle()
    assert (changes.renamed, changes.added, changes.removed) == ((("Avant/A.md", "Après/A.md"),), (), ())
    assert settled.ids() == {"Après/A.md": ids["Avant/A.md"]}
    assert settled.opened == []
    assert found(settled, "tulipe") == ["Après/A.md"]


def test_a_new_title_is_found_and_the_old_one_no_more(settled):
    settled.put("Girolle.md", "texte")
    settled.settle()
    (settled.root / "Girolle.md").rename(settled.root / "Cèpe.md")
    assert settled.settle().renamed == (("Girolle.md", "Cèpe.md"),)
    assert (found(settled, "girolle"), found(settled, "cèpe")) == ([], ["Cèpe.md"])


def test_the_same_bytes_under_another_inode_are_a_rename_within_one_scan(settled):
    settled.put("A.md", "le même texte")
    settled.put("Z.md", "autre")
    settled.settle()
    ids = settled.ids()
    settled.put("B.md", "le même texte")
    (settled.root / "A.md").unlink()
    changes = settled.settle()
    assert (changes.renamed, changes.changed) == ((("A.md", "B.md"),), ())
    assert settled.ids()["B.md"] == ids["A.md"]


def test_a_copy_is_no_rename(settled):
    settled.put("A.md", "le même texte")
    settled.settle()
    settled.put("B.md", "le même texte")
    assert settled.settle().added == ("B.md",)
    assert found(settled, "même texte") == ["A.md", "B.md"]


def test_a_note_renamed_and_changed_at_once_is_renamed_and_changed(settled):
    settled.put("A.md", "avant")
    settled.put("Z.md", "autre")
    settled.settle()
    (settled.root / "A.md").rename(settled.root / "B.md")
    settled.put("B.md", "après tout")
    changes = settled.settle()
    assert (changes.renamed, changes.changed) == ((("A.md", "B.md"),), ("B.md",))
    assert (found(settled, "avant"), found(settled, "après")) == ([], ["B.md"])


def test_two_notes_that_exchange_names_keep_their_words_apart(settled):
    settled.put("A.md", "tulipe")
    settled.put("B.md", "dahlia rouge")
    settled.settle()
    (settled.root / "A.md").rename(settled.root / "C.md")
    (settled.root / "B.md").rename(settled.root / "A.md")
    (settled.root / "C.md").rename(settled.root / "B.md")
    settled.settle()
    assert (found(settled, "tulipe"), found(settled, "dahlia")) == (["B.md"], ["A.md"])


def test_a_note_replaced_by_an_editor_that_renames_is_one_changed_note(settled):
    settled.put("A.md", "avant")
    settled.settle()
    ids = settled.ids()
    settled.put("A.tmp", "après tout")
    (settled.root / "A.tmp").replace(settled.root / "A.md")
    assert settled.saved("A.md").changed == ("A.md",)
    assert settled.ids() == ids


@pytest.mark.parametrize("by_scan", [True, False])
def test_c24_one_name_composed_otherwise_is_one_note(settled, by_scan):
    settled.put("Été.md", "tulipe")
    settled.put("Lien.md", "voir [[Été]]")
    settled.settle()
    ids = settled.ids()
    (settled.root / "Été.md").rename(settled.root / NFD_ETE)
    changes = settled.settle() if by_scan else settled.saved("Été.md", NFD_ETE)
    assert changes.renamed == (("Été.md", NFD_ETE),)
    assert settled.ids() == {NFD_ETE: ids["Été.md"], "Lien.md": ids["Lien.md"]}
    assert notes.resolve(settled.index, "Été") == notes.resolve(settled.index, NFD_ETE) == [NFD_ETE]
    assert found(settled, "tulipe") == [NFD_ETE]


def test_c24_two_files_whose_names_differ_in_composition_are_both_listed(settled):
    settled.put("Été.md", "tulipe")
    settled.put(NFD_ETE, "dahlia")
    settled.settle()
    assert sorted(notes.resolve(settled.index, "été")) == sorted(["Été.md", NFD_ETE])


def test_c27_what_could_not_be_listed_is_kept_and_marked_until_it_is_back(settled):
    for n in range(50):
        settled.put(f"Carnets/{n}.md", f"tulipe {n}")
    settled.put("Autre.md", "dahlia")
    settled.settle()
    before = dump(settled.index)
    settled.unseen = lambda path: path.startswith("Carnets/")
    changes = settled.settle()
    assert not changes
    hits = search(settled.index.connection, "tulipe", 100)
    assert (len(hits), {hit.verified for hit in hits}) == (50, {False})
    assert len(unverified(settled)) == 50
    settled.unseen = None
    settled.opened.clear()
    assert not settled.settle()
    assert (unverified(settled), settled.opened) == ([], [])
    assert dump(settled.index) == before


def test_c27_an_empty_mount_point_removes_nothing(settled):
    for n in range(50):
        settled.put(f"Carnets/{n}.md", f"tulipe {n}")
    settled.settle()
    assert not notes.refresh(settled.index, (), lambda path: False, settled.read)
    assert notes.count(settled.index) == len(unverified(settled)) == 50
    assert not settled.settle()
    assert unverified(settled) == []


def test_a_note_that_cannot_be_read_is_kept_marked_and_reported_once(settled, touched):
    path = settled.put("A.md", "tulipe")
    settled.put("B.md", "dahlia")
    settled.settle()
    problem = Problem(path, 0, "unreadable", (("reason", "refused"),))
    read, settled.read = settled.read, lambda path: problem
    touched(settled.root / "A.md")
    assert settled.settle().problems == (problem,)
    assert not settled.settle()
    assert problems(settled.index) == [problem]
    (hit,) = search(settled.index.connection, "tulipe")
    assert not hit.verified
    settled.read = read
    settled.settle()
    (hit,) = search(settled.index.connection, "tulipe")
    assert (hit.verified, problems(settled.index)) == (True, [])


def test_the_problem_of_a_note_that_is_gone_is_forgotten(settled):
    path = settled.put("A.md", "tulipe")
    settled.put("B.md", "dahlia")
    read, settled.read = settled.read, lambda path: Problem(path, 0, "unreadable")
    settled.settle()
    assert len(problems(settled.index)) == 2
    settled.read = read
    (settled.root / path).unlink()
    settled.settle()
    assert problems(settled.index) == []


def test_bytes_that_are_not_utf_8_are_searched_as_far_as_they_can_be(settled):
    settled.put("A.md", b"\xff\xfe tulipe \xe9t\xe9\n")
    settled.settle()
    assert found(settled, "tulipe") == ["A.md"]


def test_the_register_is_not_searched(settled):
    settled.put("99_Assistant/Registre/2026-11.md", "tulipe\n")
    settled.put("A.md", "dahlia\n")
    settled.settle()
    settled.saved("99_Assistant/Registre/2026-11.md")
    assert (found(settled, "tulipe"), notes.count(settled.index)) == ([], 1)


def test_links_lead_to_notes_by_name_folder_and_case(settled):
    for path in ("Projets/Alpha.md", "Alpha.md", "Archive/Projets/alpha.md"):
        settled.put(path, "x")
    settled.settle()
    every = ["Alpha.md", "Projets/Alpha.md", "Archive/Projets/alpha.md"]
    assert notes.resolve(settled.index, "alpha") == every
    assert notes.resolve(settled.index, "Projets/Alpha.md") == every[1:]
    assert notes.resolve(settled.index, "Absente") == []


def test_progress_is_told_for_each_note(settled):
    for n in range(5):
        settled.put(f"{n}.md", "x")
    told = []
    listing = settled.vault.walk()
    report = lambda done, total: told.append((done, total))  # noqa: E731
    notes.refresh(settled.index, listing.entries, listing.unknown, settled.read, report)
    assert told == [(n, 5) for n in range(1, 6)]


def test_a_failure_in_the_middle_leaves_the_index_as_it_was(settled):
    for n in range(5):
        settled.put(f"{n}.md", f"texte {n}")
    settled.settle()
    before = dump(settled.index)
    for n in range(5):
        settled.put(f"{n}.md", f"autre texte {n}")

    def read(path):
        if path == "3.md":
            raise KeyboardInterrupt
        return settled.vault.read(path)

    listing = settled.vault.walk()
    with pytest.raises(KeyboardInterrupt):
        notes.refresh(settled.index, listing.entries, listing.unknown, read)
    assert dump(settled.index) == before
    assert len(settled.settle().changed) == 5


def statements_of_one_save(tmp_path, settled_class, others):
    settled = settled_class(tmp_path / str(others), tmp_path / f"state{others}")
    for n in range(others):
        settled.put(f"Autres/{n}.md", f"tulipe {n} [[A]] #tag\n")
    settled.put("A.md", "avant [[B]] #un\n\nsuite\n")
    settled.settle()
    settled.put("A.md", "après [[C]] #deux\n\nsuite et fin\n")
    heard = []
    settled.index.connection.set_trace_callback(heard.append)
    settled.opened.clear()
    settled.saved("A.md")
    settled.index.connection.set_trace_callback(None)
    opened = settled.opened
    settled.index.close()
    return heard, opened


def test_one_save_takes_one_transaction_and_as_many_statements_in_a_large_vault_as_in_a_small_one(
    settled, tmp_path
):
    few, opened = statements_of_one_save(tmp_path, type(settled), 3)
    many, _ = statements_of_one_save(tmp_path, type(settled), 300)
    # FTS5 traces its own statements as comments; how many depends on what its segments hold.
    ours = [[line for line in heard if not line.startswith("--")] for heard in (few, many)]
    assert len(ours[0]) == len(ours[1]) < 35
    assert [line for line in ours[1] if line.startswith("BEGIN")] == ["BEGIN IMMEDIATE"]
    assert ours[1].count("COMMIT") == 1
    assert opened == ["A.md"]


def test_a_batch_of_saves_is_one_transaction(settled):
    for n in range(100):
        settled.put(f"{n}.md", f"texte {n}")
    heard = []
    settled.index.connection.set_trace_callback(heard.append)
    settled.saved(*(f"{n}.md" for n in range(100)))
    settled.index.connection.set_trace_callback(None)
    assert heard.count("COMMIT") == 1


def test_many_notes_at_once_are_loaded_like_few(settled):
    for n in range(600):
        settled.put(f"{n}.md", f"texte commun propre{n}")
    assert len(settled.settle().added) == 600
    assert found(settled, "propre599") == ["599.md"]
    assert isinstance(settled.rebuilt(), Index)
    assert found(settled, "propre599") == ["599.md"]
