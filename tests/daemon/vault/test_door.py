"""Reading: bytes and etag together, no path out of the vault, one name in two encodings."""

import errno
import hashlib
import os
import unicodedata

import pytest

from config.paths import NAMES
from daemon.vault import disk, errors, rename
from daemon.vault.disk import etag_of
from parsers.model.places import NotePath
from tests.daemon.vault.shared import NFC, NFD, NOTE, put, seen


def test_a_reading_has_the_bytes_and_the_etag_and_stamp_of_exactly_these(vault):
    path = put(vault, "Notes/é.md", b"\xef\xbb\xbfa\r\n\xff")
    reading, status = vault.read(path), (vault.root / path).stat()
    assert reading.data == b"\xef\xbb\xbfa\r\n\xff"
    assert reading.etag == hashlib.sha256(reading.data).hexdigest()
    assert reading.stamp == (status.st_mtime_ns, status.st_size, status.st_ino)
    assert not reading.linked


def test_a_short_read_is_not_the_end_of_the_note(vault, monkeypatch):
    put(vault, NOTE, bytes(range(256)))
    real = os.read
    monkeypatch.setattr(os, "read", lambda fd, size: real(fd, min(size, 7)))
    assert vault.read(NOTE).data == bytes(range(256))


def test_bytes_and_stamp_come_from_one_descriptor_even_if_the_note_is_replaced_meanwhile(vault, monkeypatch):
    put(vault, NOTE, b"old")
    before = vault.read(NOTE)
    real = os.read

    def read(fd, size):
        put(vault, "other", b"newer")
        (vault.root / "other").replace(vault.root / NOTE)
        monkeypatch.setattr(os, "read", real)
        return real(fd, size)

    monkeypatch.setattr(os, "read", read)
    assert vault.read(NOTE) == before
    assert vault.read(NOTE).data == b"newer"


def test_a_missing_note_is_told_from_a_missing_vault(vault):
    with pytest.raises(errors.NoteMissing):
        vault.read(NOTE)
    with pytest.raises(errors.NoteMissing):
        vault.read(NotePath("Dossier/x.md"))
    assert vault.entry(NOTE) is None
    vault.root.rename(vault.root.with_name("elsewhere"))
    for ask in (vault.read, vault.entry):
        with pytest.raises(errors.VaultMissing):
            ask(NOTE)


def test_a_placeholder_means_not_here_yet_never_deleted(vault):
    put(vault, "Notes/.Bail.md.icloud")
    path = NotePath("Notes/Bail.md")
    for ask in (vault.read, vault.entry):
        with pytest.raises(errors.NotHereYet):
            ask(path)
    listing = vault.walk()
    assert listing.waiting == (path,)
    assert listing.unknown(path)
    assert not listing.unknown("Notes/Autre.md")


def test_a_note_over_the_limit_is_not_read_and_a_problem_names_it(vault):
    path = put(vault, "gros.md", b"x" * 1001)
    with pytest.raises(errors.TooLarge):
        vault.read(path)
    assert vault.entry(path) is None
    assert seen(vault) == []
    assert [(problem.path, problem.code) for problem in vault.walk().problems] == [(path, "too_large")]


def test_the_register_is_read_whatever_its_size_and_the_ignore_file_say(vault):
    put(vault, NAMES.ignore_file, b"99_Assistant/\n")
    path = put(vault, f"{NAMES.register_folder}/2026-11.md", b"x" * 1001)
    assert len(vault.read(path).data) == 1001
    assert vault.entry(path)


@pytest.mark.timeout(5)
def test_a_pipe_or_a_folder_under_a_notes_name_does_not_hold_the_reader_up(vault):
    os.mkfifo(vault.root / "tube.md")
    (vault.root / "dossier.md").mkdir()
    for name in ("tube.md", "dossier.md"):
        with pytest.raises(errors.Unreadable):
            vault.read(NotePath(name))
        assert vault.entry(NotePath(name)) is None
    assert seen(vault) == []


def test_an_input_output_error_is_not_an_absence(vault, monkeypatch):
    put(vault, NOTE)

    def fail(*args, **kwargs):
        raise OSError(errno.EIO, "Input/output error")

    monkeypatch.setattr(os, "lstat", fail)
    with pytest.raises(errors.Unreadable):
        vault.entry(NOTE)
    monkeypatch.setattr(os, "read", fail)
    with pytest.raises(errors.Unreadable):
        vault.read(NOTE)


def test_a_linked_note_is_read_as_linked_and_never_written(vault):
    put(vault, "vrai.md", b"a")
    (vault.root / "lien.md").symlink_to("vrai.md")
    reading = vault.read(NotePath("lien.md"))
    assert (reading.data, reading.linked) == (b"a", True)
    with pytest.raises(errors.LinkedNote):
        vault.write(reading.path, b"b", reading.etag)
    assert (vault.root / "lien.md").is_symlink()
    assert vault.walk().linked == ("lien.md",)
    assert seen(vault) == ["vrai.md"]
    assert vault.entry(NotePath("lien.md")) is None


def test_many_notes_are_read_as_each_would_be(vault):
    paths = [put(vault, path, path.encode()) for path in ("a.md", "B/a.md", "B/é.md", "C/D/a.md")]
    (vault.root / "B/lien.md").symlink_to("a.md")
    (vault.root / "L").symlink_to("B")
    paths += [NotePath(path) for path in ("B/lien.md", "L/a.md", unicodedata.normalize("NFD", "B/é.md"))]
    with vault.reading() as read:
        assert [read(path) for path in paths] == [vault.read(path) for path in paths]
        for absent, error in (
            ("B/b.md", errors.NoteMissing),
            ("Z/b.md", errors.NoteMissing),
            ("../a.md", errors.OutsideVault),
        ):
            with pytest.raises(error):
                read(NotePath(absent))


def test_a_link_put_in_the_place_of_a_folder_that_is_being_read_leads_nowhere(vault, tmp_path):
    first, second = (put(vault, path, b"ours") for path in ("B/a.md", "B/b.md"))
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside/b.md").write_bytes(b"theirs")
    with vault.reading() as read:
        read(first)
        (vault.root / "B").rename(vault.root / "moved")
        (vault.root / "B").symlink_to(tmp_path / "outside")
        assert read(second).data == b"ours"


def test_a_linked_folder_is_skipped_its_notes_are_listed_once_under_their_real_path(vault):
    put(vault, "Réel/a.md")
    (vault.root / "Lien").symlink_to("Réel")
    assert seen(vault) == ["Réel/a.md"]
    assert vault.read(NotePath("Lien/a.md")).linked
    for refused in (
        lambda: vault.write(NotePath("Lien/a.md"), b"b", vault.read(NotePath("Lien/a.md")).etag),
        lambda: vault.create(NotePath("Lien/b.md"), b"b"),
        lambda: vault.append(NotePath("Lien/c.md"), b"b", 0),
    ):
        with pytest.raises(errors.LinkedNote):
            refused()


def test_nothing_is_followed_out_of_the_vault(vault, tmp_path):
    (tmp_path / "dehors").mkdir()
    (tmp_path / "dehors" / "secret.md").write_bytes(b"secret")
    (vault.root / "sortie").symlink_to(tmp_path / "dehors")
    (vault.root / "lien.md").symlink_to(tmp_path / "dehors" / "secret.md")
    (vault.root / "privé.md").symlink_to(vault.root / NAMES.private_ignore)
    (vault.root / "boucle.md").symlink_to("boucle.md")
    for path in ("sortie/secret.md", "lien.md", "privé.md"):
        with pytest.raises(errors.OutsideVault):
            vault.read(NotePath(path))
        with pytest.raises(errors.OutsideVault):
            vault.write(NotePath(path), b"x", etag_of(b"secret"))
    with pytest.raises(errors.OutsideVault):
        vault.create(NotePath("sortie/x.md"), b"x")
    with pytest.raises(errors.Unreadable):
        vault.read(NotePath("boucle.md"))
    assert seen(vault) == []
    assert [path.name for path in (tmp_path / "dehors").iterdir()] == ["secret.md"]


@pytest.mark.parametrize(
    "path",
    [
        "../dehors.md",
        "Notes/%2e%2e/%2e%2e/dehors.md",
        "Notes\\..\\..\\dehors.md",
        "/dehors.md",
        "Notes/a\0.md",
        "Notes/%2E%2e%2fdehors.md",
        "Notes/./a.md",
        "Notes//a.md",
        "Notes/..",
        "",
        ".obsidian/app.json",
        "Notes/.caché.md",
        f"{NAMES.displaced}/x.md",
        "Notes/\udcff.md",
    ],
)
def test_c25_a_path_that_leaves_the_vault_is_refused_and_nothing_is_made(vault, tmp_path, path):
    put(vault, "Notes/a.md")
    (tmp_path / "dehors.md").write_bytes(b"d")
    before = sorted(tmp_path.rglob("*"))
    for ask in (
        lambda: vault.read(NotePath(path)),
        lambda: vault.write(NotePath(path), b"x", etag_of(b"d")),
        lambda: vault.create(NotePath(path), b"x"),
        lambda: vault.append(NotePath(path), b"x", 0),
        lambda: vault.cut(NotePath(path), 0, b"d"),
        lambda: vault.resolve(NotePath(path)),
    ):
        with pytest.raises(errors.OutsideVault) as refusal:
            ask()
        assert str(refusal.value).isprintable()
    assert vault.entry(NotePath(path)) is None
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / "dehors.md").read_bytes() == b"d"


@pytest.mark.parametrize("path", ["Notes/..bon..md", "Notes/.../x.md", "50 % de v1%2e0.md"])
def test_c25_names_with_dots_or_percents_are_ordinary(vault, path):
    written = vault.create(NotePath(path), b"a")
    written = vault.write(NotePath(path), b"b", written.etag)
    assert vault.read(NotePath(path)).data == b"b"
    assert seen(vault) == [path]
    assert vault.entry(NotePath(path)) == vault.walk().entries[0]


def test_c24_a_note_is_found_and_written_under_the_name_that_is_on_disk(vault):
    put(vault, f"Dossier é/{NFC}", b"a")
    (vault.root / "Dossier é").rename(vault.root / unicodedata.normalize("NFD", "Dossier é"))
    folder = next(path for path in vault.root.iterdir() if path.name.startswith("Dossier"))
    (folder / NFC).rename(folder / NFD)
    on_disk = NotePath(unicodedata.normalize("NFD", f"Dossier é/{NFC}"))
    asked = NotePath(f"Dossier é/{NFC}")
    reading = vault.read(asked)
    assert reading.path == on_disk == vault.resolve(asked) == vault.entry(asked).path
    vault.write(asked, b"b", reading.etag)
    assert os.listdir(folder) == [NFD]
    assert (folder / NFD).read_bytes() == b"b"
    with pytest.raises(errors.NoteExists):
        vault.create(asked, b"c")
    vault.create(NotePath("Dossier é/x.md"), b"d")
    assert sorted(os.listdir(folder)) == sorted([NFD, "x.md"])


def test_c24_two_real_files_are_both_listed_named_once_and_neither_is_written(vault):
    put(vault, NFC, b"composed")
    put(vault, NFD, b"decomposed")
    listing = vault.walk()
    assert sorted(entry.path for entry in listing.entries) == sorted([NFC, NFD])
    assert [(problem.path, problem.code) for problem in listing.problems] == [(NFC, "twin_names")]
    for path in (NFC, NFD):
        reading = vault.read(path)
        assert vault.resolve(path) == path
        with pytest.raises(errors.TwinNames):
            vault.write(path, b"x", reading.etag)
    assert (vault.root / NFC).read_bytes() == b"composed"
    assert (vault.root / NFD).read_bytes() == b"decomposed"


def test_c24_a_third_spelling_of_twins_names_neither(vault):
    for name in ("\u00c5\u0301.md", "A\u030a\u0301.md"):
        put(vault, name)
    with pytest.raises(errors.TwinNames):
        vault.resolve(NotePath("\u212b\u0301.md"))


def test_every_error_has_a_sentence_in_both_languages_with_all_its_values():
    from config.i18n import LOCALES, catalogue  # noqa: PLC0415

    raised = [
        errors.NoteMissing("a.md"),
        errors.NotHereYet("a.md"),
        errors.NoteExists("a.md"),
        errors.NoteChanged("a.md"),
        errors.OutsideVault("../a.md"),
        errors.LinkedNote("a.md"),
        errors.TwinNames("a.md"),
        errors.TooLarge("a.md", 2, 1),
        errors.Ignored("a.md", ".clavaireignore"),
        errors.Unreadable("a.md", "EIO"),
        errors.Unwritable("a.md", "EIO"),
        errors.VaultBusy(1.5),
        errors.VaultCopied("V"),
        errors.VaultMissing("V"),
    ]
    assert {type(error) for error in raised} == set(errors.VaultError.__subclasses__())
    for error in raised:
        for locale in LOCALES:
            assert catalogue(locale).problem(error.problem)
        assert error.path in str(error)
        assert error.problem.path == error.path


def test_exchanging_names_is_really_supported_here(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    rename.exchange(str(tmp_path / "a"), str(tmp_path / "b"))
    assert (tmp_path / "a").read_bytes() == b"b"
    with pytest.raises(FileExistsError):
        rename.take_name(str(tmp_path / "a"), str(tmp_path / "b"))
    assert disk.read_file(str(tmp_path / "b"))[0] == b"a"
