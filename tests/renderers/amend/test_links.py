"""Notes move, and every link of every note leads where it led."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.note import scan
from renderers.amend import Relinker, Unamendable, relinked

MOVE = {"Dossier/Note.md": "Ailleurs/Note.md"}
RENAME = {"Dossier/Note.md": "Dossier/Autre nom.md"}
PATHS = ["Dossier/Note.md", "Dossier/Voisine.md", "Racine.md", "Autre/Loin.md", "Dossier/image.png"]


def moved(text, moves=None, note="Racine.md", paths=PATHS):
    return relinked(text, note, MOVE if moves is None else moves, paths)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[[Note]]", "[[Autre nom]]"),
        ("[[note]]", "[[Autre nom]]"),
        ("[[Note.md]]", "[[Autre nom.md]]"),
        ("[[Dossier/Note]]", "[[Dossier/Autre nom]]"),
        ("[[dossier/NOTE.md|alias]]", "[[Dossier/Autre nom.md|alias]]"),
        ("[[/Dossier/Note]]", "[[/Dossier/Autre nom]]"),
        ("[[./Dossier/Note]]", "[[./Dossier/Autre nom]]"),
        ("[[Note#Titre#Sous-titre|a|b]]", "[[Autre nom#Titre#Sous-titre|a|b]]"),
        ("[[Note#^bloc]]", "[[Autre nom#^bloc]]"),
        ("[[ Note |x]]", "[[ Autre nom |x]]"),
        ("![[Note]]", "![[Autre nom]]"),
        ("![[Note#^b|100x145]]", "![[Autre nom#^b|100x145]]"),
        ("|a|\n|-|\n|[[Note\\|b]]|", "|a|\n|-|\n|[[Autre nom\\|b]]|"),
        ("|[[Note#T\\|b]]|", "|[[Autre nom#T\\|b]]|"),
        ("[t](Dossier/Note.md)", "[t](Dossier/Autre%20nom.md)"),
        ("[t](Dossier/Note.md#Un%20titre 'x')", "[t](Dossier/Autre%20nom.md#Un%20titre 'x')"),
        ("[t](<Dossier/Note.md#Un titre>)", "[t](<Dossier/Autre nom.md#Un titre>)"),
        ("[t](Note.md)", "[t](Autre%20nom.md)"),
        ("![t|100](Dossier/Note.md)", "![t|100](Dossier/Autre%20nom.md)"),
        ("[![a](Note.md)](Dossier/Note.md)", "[![a](Autre%20nom.md)](Dossier/Autre%20nom.md)"),
        ("[a][r]\n\n[r]: Dossier/Note.md 'titre'\n[s]: <Note.md>",
         "[a][r]\n\n[r]: Dossier/Autre%20nom.md 'titre'\n[s]: <Autre nom.md>"),
        ("%% [[Note]] %%", "%% [[Autre nom]] %%"),
        ("# [[Note]]\r\n> - [ ] [[Note]] ^id\r\n", "# [[Autre nom]]\r\n> - [ ] [[Autre nom]] ^id\r\n"),
        ('---\na: "[[Note|x]]" # c\n---\n', '---\na: "[[Autre nom|x]]" # c\n---\n'),
        ("---\na: '[[Note#l''un]]'\n---\n", "---\na: '[[Autre nom#l''un]]'\n---\n"),
        ('---\na:\n  - "[[Note]]"\n  - x\n---\n', '---\na:\n  - "[[Autre nom]]"\n  - x\n---\n'),
        ('---\na: ["[[Note]]", {b: "[[Note#T]]"}]\n---\n', '---\na: ["[[Autre nom]]", {b: "[[Autre nom#T]]"}]\n---\n'),
        ('---\na: "[[\\u004eote|x]]"\n---\n', '---\na: "[[Autre nom|x]]"\n---\n'),
        ("---\na: >-\n  [[Note]]\n---\n", "---\na: >-\n  [[Autre nom]]\n---\n"),
        ('---\n{"a": "[[Note]]", "[[Note]]": 1}\n---\n', '---\n{"a": "[[Autre nom]]", "[[Note]]": 1}\n---\n'),
        ('\ufeff---\r\na: "[[Note]]"\r\n---\r\n[[Note]]', '\ufeff---\r\na: "[[Autre nom]]"\r\n---\r\n[[Autre nom]]'),
    ],
)  # fmt: skip
def test_each_kind_of_link_follows_in_the_form_it_has(old, new):
    assert moved(old, RENAME) == new


@pytest.mark.parametrize(
    "text",
    [
        "`[[Note]]`", "```\n[[Note]]\n```", "    [[Note]]", "<!-- [[Note]] -->", "\\[[Note]]", "\\[\\[Note\\]\\]",
        "[[]]",
        "[[Note2]]", "[[Nulle/Note]]", "[[#Note]]", "[t](https://x.fr/Note.md)", "[t](mailto:Note.md)", "Note",
        "<a href='Note.md'>", "---\na: [[Note]]\n---\n", "---\nt: voir [[Note]]\n---\n", "---\na: b: [[Note]]\n---\n",
        "[^1]: Note.md", "texte\n[r]: Note.md", "[[Voisine]] [[Dossier/Voisine]] [[Loin]]", "![[image.png]]",
    ],
)  # fmt: skip
def test_what_is_no_link_to_the_note_stays(text):
    assert moved(text, RENAME) == text


def test_a_name_stays_a_name_while_it_leads_to_the_note_and_becomes_the_path_otherwise():
    assert moved("[[Note]] [[NOTE|x]] ![[note#T]]") == "[[Note]] [[NOTE|x]] ![[note#T]]"
    assert moved("[[Dossier/Note]] [[Dossier/Note.md]]") == "[[Ailleurs/Note]] [[Ailleurs/Note.md]]"
    assert moved("[[Note]]", paths=[*PATHS, "A/Note.md"], note="Dossier/Voisine.md") == "[[Ailleurs/Note]]"
    assert moved("[[Note]]", paths=[*PATHS, "Z/Note.md"], note="Racine.md") == "[[Note]]"
    assert moved("[[Note]]", {"Dossier/Note.md": "Y/Loin.md"}, paths=PATHS) == "[[Y/Loin]]"
    assert moved("[t](Note.md)", {"Dossier/Note.md": "Y/Loin.md"}, paths=PATHS) == "[t](Y/Loin.md)"


def test_a_link_that_a_moved_note_would_take_over_gets_the_path_of_its_own_note():
    taken = {"Dossier/Note.md": "Loin.md"}
    assert moved("[[Loin]] [[Note]]", taken) == "[[Autre/Loin]] [[Loin]]"
    assert moved("[t](Loin.md#x)", taken) == "[t](Autre/Loin.md#x)"
    assert moved("[[Loin]]", taken, note="Autre/Loin.md") == "[[Autre/Loin]]"


def test_the_relative_links_of_a_moved_note_are_seen_from_its_new_folder():
    away = {"Dossier/Note.md": "Un/Deux/Note.md"}
    for old, new in (
        ("[t](Voisine.md)", "[t](../../Dossier/Voisine.md)"),
        ("[t](./Voisine.md)", "[t](../../Dossier/Voisine.md)"),
        ("[t](../Racine.md)", "[t](../../Racine.md)"),
        ("[t](../Autre/Loin.md#x)", "[t](../../Autre/Loin.md#x)"),
        ("![t](image.png)", "![t](../../Dossier/image.png)"),
        ("[t](../jamais%20là.pdf)", "[t](../../jamais%20là.pdf)"),
        ("[t](<./jamais là.pdf>)", "[t](<../../Dossier/jamais là.pdf>)"),
        ("[t](Dossier/Voisine.md)", "[t](Dossier/Voisine.md)"),
        ("[[Voisine]] [[../Racine]]", "[[Voisine]] [[../../Racine]]"),
        ("[[Note]] [t](Note.md) [[#T]]", "[[Note]] [t](Note.md) [[#T]]"),
        ("[[Dossier/Note]]", "[[Un/Deux/Note]]"),
    ):
        assert moved(old, away, note="Dossier/Note.md") == new


def test_names_are_compared_composed_and_without_case():
    for name in ("É\u0301t\u0301é", "Éte\u0301"):
        path = unicodedata.normalize("NFD", f"D/{name}.md")
        text = unicodedata.normalize("NFC", f"[[{name.upper()}]] [t](D/{name}.md)")
        new = relinked(text, "A.md", {path: "D/x.md"}, [path, "A.md"])
        assert new == "[[x]] [t](D/x.md)"


def test_a_destination_keeps_its_way_of_encoding():
    to = {"Dossier/Note.md": "Dossier/Été (50 %) #1.md"}
    assert moved("[t](Dossier/Note.md)", to) == "[t](Dossier/Été%20%2850%20%25%29%20%231.md)"
    assert moved("[t](<Dossier/Note.md>)", to) == "[t](<Dossier/Été (50 %25) %231.md>)"
    odd = ["Dossier/é.md", "Racine.md"]
    assert moved("[t](Dossier/%C3%A9.md)", {odd[0]: "à b.md"}, paths=odd) == "[t](%C3%A0%20b.md)"


def test_a_name_that_no_link_can_hold_is_refused_where_a_link_would_need_it():
    to = {"Dossier/Note.md": "Dossier/a#b.md"}
    with pytest.raises(Unamendable) as raised:
        moved("[[Note]]", to)
    assert raised.value.code == "link_name"
    assert moved("[[Voisine]] [t](Note.md)", to) == "[[Voisine]] [t](a%23b.md)"


def test_a_frozen_note_is_left_alone_and_refused_only_when_a_link_of_it_would_change():
    frozen = "<!-- clavaire:begin a -->\n[[{}]]\n"
    assert moved(frozen.format("Voisine"), RENAME) == frozen.format("Voisine")
    with pytest.raises(Unamendable) as raised:
        moved(frozen.format("Note"), RENAME)
    assert raised.value.code == "frozen"


def test_a_folder_moves_with_all_its_notes():
    moves = {"D/A.md": "E/A.md", "D/B.md": "E/B.md"}
    paths = ["D/A.md", "D/B.md", "C.md"]
    assert relinked("[t](B.md) [[B]] [[D/B]] [u](../C.md)", "D/A.md", moves, paths) == (
        "[t](B.md) [[B]] [[E/B]] [u](../C.md)"
    )
    swap = {"D/A.md": "D/B.md", "D/B.md": "D/A.md"}
    assert relinked("[[A]] [[D/B|b]]", "C.md", swap, paths) == "[[B]] [[D/A|b]]"


# A second, slow reading of the rules: which file does a link lead to?


def fold(path):
    return unicodedata.normalize("NFC", path).casefold()


def at(parts, paths):
    walked = []
    for part in parts:
        if part == ".." and not walked:
            return None
        if part == "..":
            walked.pop()
        elif part not in ("", "."):
            walked.append(part)
    spelt = (fold("/".join(walked)), fold("/".join(walked) + ".md"))
    return next((one for name in spelt for one in sorted(paths) if fold(one) == name), None)


def leads(target, note, paths):
    here = note.split("/")[:-1]
    if target.startswith(("./", "../")) or "/../" in target:
        return at(here + target.split("/"), paths)
    found = at(target.split("/"), paths)
    if found or target.startswith("/"):
        return found
    if found := at(here + target.split("/"), paths):
        return found
    near = sorted(paths, key=lambda path: (path.count("/"), path))
    ends = ("/" + fold(target), "/" + fold(target + ".md"))
    return next((one for end in ends for one in near if ("/" + fold(one)).endswith(end)), None)


FOLDERS = st.sampled_from(["", "A/", "B/", "A/B/", "A/C/", "É/"])
NAMES = st.sampled_from(["a", "b", "A", "c d", "é", "e\u0301", "x.y", "50 %", "(p)", "b.md"])
VAULT_PATHS = st.builds(lambda folder, name: f"{folder}{name}.md", FOLDERS, NAMES)


@st.composite
def vaults(draw):
    paths = draw(st.lists(VAULT_PATHS, min_size=2, max_size=8, unique_by=fold))
    free = draw(st.lists(VAULT_PATHS, min_size=1, max_size=min(3, len(paths)), unique_by=fold))
    chosen = draw(st.lists(st.sampled_from(paths), min_size=len(free), max_size=len(free), unique=True))
    moves = dict(zip(chosen, free, strict=True))
    after = [moves.get(path, path) for path in paths]
    return paths, (moves if len({fold(path) for path in after}) == len(paths) else {})


@st.composite
def targets(draw, paths, note):
    path = draw(st.sampled_from([*paths, "nulle part.md"]))
    up = "../" * note.count("/")
    form = draw(
        st.sampled_from([path, path.rpartition("/")[2], f"/{path}", up + path, f"./{path}", f"A/../{path}"])
    )
    form = form if draw(st.booleans()) else form.removesuffix(".md")
    return draw(st.sampled_from([form, form.upper(), unicodedata.normalize("NFD", form)]))


@st.composite
def links(draw, paths, note):
    target = draw(targets(paths, note))
    sub = draw(st.sampled_from(["", "", "#Titre", "#^bloc"]))
    if draw(st.booleans()):
        alias = draw(st.sampled_from(["", "|alias", "|a|b"]))
        return draw(st.sampled_from(["[[{}]]", "![[{}]]"])).format(target + sub + alias)
    if draw(st.booleans()):
        return f"[t](<{target.replace('%', '%25')}{sub}>)"
    encoded = target.replace("%", "%25").replace(" ", "%20").replace("(", "%28").replace(")", "%29")
    return f"[t]({encoded}{sub})"


@st.composite
def scenes(draw):
    paths, moves = draw(vaults())
    note = draw(st.sampled_from(paths))
    body = draw(st.lists(links(paths, note), max_size=6))
    kept = [f'p{n}: "[[{draw(targets(paths, note))}]]"' for n in range(draw(st.integers(0, 2)))]
    head = "".join(f"{line}\n" for line in ["---", *kept, "---"]) if kept else ""
    text = head + draw(st.sampled_from(["\n\n", " ", "\n- "])).join(["texte", *body, "`[[a]]`", "fin"])
    return paths, moves, note, text.replace("\n", draw(st.sampled_from(["\n", "\r\n"])))


@given(scenes())
def test_over_any_vault_the_meaning_of_every_link_is_kept(scene):
    paths, moves, note, text = scene
    new = relinked(text, note, moves, paths)
    before, after = scan(text), scan(new)
    there = [moves.get(path, path) for path in paths]
    was = [*before.links, *before.properties.links]
    now = [*after.links, *after.properties.links]
    assert [(one.subpath, one.alias) for one in was] == [(one.subpath, one.alias) for one in now]
    for one, other in zip(was, now, strict=True):
        led = leads(one.target, note, paths)
        if led is not None:
            assert leads(other.target, moves.get(note, note), there) == moves.get(led, led), (one, other)
    if not moves:
        assert new == text


@given(scenes())
def test_nothing_but_targets_changes_and_moving_again_changes_nothing(scene):
    paths, moves, note, text = scene
    new = relinked(text, note, moves, paths)

    def blanked(said):
        parts, at = [], said.properties.body
        for one in sorted(said.links, key=lambda link: link.start):
            parts.append(said.text[at : one.start])
            at = one.end
        return [*parts, said.text[at:]]

    assert blanked(scan(new)) == blanked(scan(text))
    there = [moves.get(path, path) for path in paths]
    assert relinked(new, moves.get(note, note), {}, there) == new


def test_many_notes_are_asked_of_one_relinker():
    asked = Relinker(RENAME, PATHS)
    assert [asked.relinked(text, "Racine.md") for text in ("[[Note]]", "rien")] == ["[[Autre nom]]", "rien"]
