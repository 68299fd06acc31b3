"""Docs cannot lie: commands, settings, keys, links and examples are those of the code (style.md, habit 20)."""

import ast
import json
import os
import re
import shlex
import subprocess
import sys
import unicodedata
from pathlib import Path

import click
import pytest

from config.paths import NAMES
from config.settings import KEYS, Settings
from daemon import acting
from daemon.cli.main import COMMANDS, cli
from daemon.planning import Client
from parsers.model.cards import CHOICES, SECTION
from parsers.model.facts import SECTION_OF
from tests.home import Home, temporary

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
FEATURES = sorted((ROOT / "docs" / "features").glob("*.md"))
DOCS = [ROOT / name for name in ("README.md", "CHANGELOG.md", "ROADMAP.md")]
DOCS += [*FEATURES, ROOT / "docs" / "guide.fr.md", ROOT / "docs" / "guide.en.md"]
BY_NAME = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in DOCS}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, kind: str) -> list[str]:
    return [code for language, code in FENCE.findall(text) if language == kind]


def table(text: str, first: str) -> dict[str, list[str]]:
    """The rows of the table whose header starts with these cells, by their first cell."""
    _, _, rest = text.partition(f"| {first} |")
    rows = []
    for line in rest.split("\n")[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return {row[0].strip("`"): row for row in rows}


# ---- commands


def names(command: click.Command = cli, words: tuple[str, ...] = ()) -> list[str]:
    """Every command as it is typed after `clavaire`."""
    if not isinstance(command, click.Group):
        return [" ".join(words)]
    context = click.Context(cli)
    found = []
    for name in command.list_commands(context):
        one = command.get_command(context, name)
        assert one is not None
        found += names(one, (*words, name))
    return found


def parsed(line: str) -> None:
    """Parse a command line as clavaire would, without running it."""
    command, words = cli, shlex.split(line, comments=True)[1:]
    while isinstance(command, click.Group):
        context = command.make_context("clavaire", words, resilient_parsing=False)
        words = [*context._protected_args, *context.args]
        name = words.pop(0)
        found = command.get_command(context, name)
        assert found, f"{line}: there is no command {name}"
        command = found
    if "--help" not in words:
        command.make_context(line, words)


def test_the_readme_lists_exactly_the_commands_there_are():
    listed = [name.removeprefix("clavaire ") for name in table(README, "command")]
    assert sorted(listed) == sorted(names())
    assert set(COMMANDS) == {name.split()[0] for name in listed}


def test_the_readme_names_no_option_that_does_not_exist():
    for name, row in table(README, "command").items():
        command, context = cli, click.Context(cli)
        for word in name.split()[1:]:
            command = command.get_command(context, word)
        options = {option for one in command.params for option in one.opts}
        assert set(re.findall(r"`(--[a-z-]+)", row[1])) <= options, name


def shell_lines() -> list[tuple[str, str]]:
    lines = []
    for name, text in BY_NAME.items():
        for code in (*blocks(text, "sh"), *blocks(text, "console")):
            for line in code.split("\n"):
                typed = line.removeprefix("$ ") if "```console" in text and line.startswith("$ ") else line
                if code in blocks(text, "console") and not line.startswith("$ "):
                    continue
                lines += [(name, one.strip()) for one in typed.split("&&") if one.strip()]
    return lines


@pytest.mark.parametrize(("where", "line"), shell_lines())
def test_every_command_of_a_code_block_can_be_typed(where, line):
    word, *rest = shlex.split(line, comments=True)
    if word == "clavaire":
        parsed(line)
    elif word == "make":
        assert re.search(rf"^{rest[0]}:", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    else:
        assert word in {"pip", "cd", "export"}, f"{where}: {line}"


@pytest.mark.parametrize("name", BY_NAME)
def test_every_command_in_the_running_text_exists(name):
    for code in re.findall(r"`clavaire ([a-z][a-z -]*)", BY_NAME[name]):
        words = code.split()
        known = names()
        assert any(f"{one} ".startswith(f"{' '.join(words[:n])} ") for one in known for n in (1, 2)), code


def _nameless(text: str) -> str:
    return re.sub(r"\b([fcve])-[0-9a-hjkmnp-tv-z]{8}\b", r"\1-ID", text)


def test_the_readmes_example_runs_and_prints_what_it_says(tmp_path):
    (example,) = blocks(README, "console")
    environ = os.environ | {"PYTHONPATH": str(ROOT), "XDG_CONFIG_HOME": str(tmp_path)}
    environ["CLAVAIRE_GENERAL__STATE_FOLDER"] = str(tmp_path / "state")
    here, ids = tmp_path, {}
    for turn in re.split(r"^\$ ", example, flags=re.MULTILINE)[1:]:
        typed, _, wanted = turn.partition("\n")
        for shown, real in ids.items():
            typed = typed.replace(shown, real)
        word, *rest = shlex.split(typed)
        if word == "export":
            name, _, value = rest[0].partition("=")
            environ[name] = value
        elif word == "cd":
            here = here / rest[0]
        else:
            command = [sys.executable, "-c", "from daemon.cli.main import main; main()", *rest]
            done = subprocess.run(command, cwd=here, env=environ, capture_output=True, text=True, check=False)
            assert (done.returncode, done.stderr) == (0, ""), typed
            pattern = re.escape(_nameless(wanted)).replace("…", ".*")
            assert re.fullmatch(pattern, _nameless(done.stdout), re.DOTALL), f"{typed}\n{done.stdout}"
            shown_ids, real_ids = (re.findall(r"\bf-\w{8}\b", text) for text in (wanted, done.stdout))
            ids |= dict(zip(shown_ids, real_ids, strict=False))


@pytest.fixture
def shouting(tmp_path, monkeypatch):
    """The README's package, installed as any is: a module, and metadata with its entry point."""
    (code,) = blocks(README, "python")
    (entry,) = blocks(README, "toml")
    about = tmp_path / "shouting-1.dist-info"
    about.mkdir()
    (tmp_path / "shouting.py").write_text(code, "utf-8")
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: shouting\nVersion: 1\n", "utf-8")
    spelt = entry.replace('[project.entry-points."clavaire.tools"]', "[clavaire.tools]").replace('"', "")
    (about / "entry_points.txt").write_text(spelt, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield
    sys.modules.pop("shouting", None)


@pytest.mark.usefixtures("shouting")
def test_the_readmes_tool_is_found_shown_approved_proved_and_undone():
    with temporary({"Notes/a.md": "bonjour\r\nà tous"}) as home:
        plan = {"title": "Crier", "steps": [{"tool": "note_shout", "args": {"path": "Notes/a.md"}}]}
        prepared, _ = acting.propose(home.app, plan, Client("mcp:agenda"))
        note = prepared_note(home, prepared.run.id)
        assert "+BONJOUR" in home.text(note)
        home.replace("- [ ] Approuver", "- [x] Approuver", note)
        acting.sync(home.app)
        assert home.text("Notes/a.md") == "BONJOUR\r\nÀ TOUS"
        done = home.app.pipeline.runs.runs[prepared.run.id]
        assert (done.status, done.steps[0].verified) == ("succeeded", True)
        home.replace("- [ ] Annuler ce run", "- [x] Annuler ce run", note)
        acting.sync(home.app)
        assert home.text("Notes/a.md") == "bonjour\r\nà tous"


def prepared_note(home: Home, run: str) -> str:
    path = home.app.pipeline.runs.runs[run].path
    assert path is not None
    return path


# ---- names and settings


def test_the_settings_page_lists_every_setting_with_its_default():
    rows = table(BY_NAME["docs/features/commands.md"], "key")
    assert list(rows) == list(KEYS)
    for key, row in rows.items():
        value = Settings().value(key)
        assert json.loads(row[1].strip("`")) == (list(value) if isinstance(value, tuple) else value), key


def test_settings_named_in_the_docs_exist():
    sections = {key.split(".")[0] for key in KEYS}
    for name, text in BY_NAME.items():
        for key in re.findall(r"`(\w+\.\w+)(?: = \w+)?`", text):
            if key.split(".")[0] in sections:
                assert key in KEYS, f"{name}: {key}"


def test_the_cards_page_lists_every_kind_of_card_with_its_boxes():
    rows = table(BY_NAME["docs/features/cards.md"], "section | kind")
    text = BY_NAME["docs/features/cards.md"]
    listed = re.findall(r"^\| `(\w+)` \| `(\w+)` \| [^|]* \| (.*) \|$", text, re.MULTILINE)
    assert {kind: section for section, kind, _ in listed} == SECTION
    assert rows
    for _, kind, boxes in listed:
        assert tuple(re.findall(r"`(\w+)`", boxes)) == CHOICES[kind]


def test_the_facts_page_lists_every_kind_with_its_section_and_heading():
    text = BY_NAME["docs/features/facts.md"]
    words = json.loads((ROOT / "config" / "locales" / "fr.json").read_text("utf-8"))
    for kind, section in SECTION_OF.items():
        assert f"| `{section}` | `{kind}` | {words[f'profile.heading.{section}']} |" in text


def test_notes_are_called_by_their_names():
    known = {Path(value).name for value in NAMES if isinstance(value, str) and value.endswith(".md")}
    known |= {"README.md", "CHANGELOG.md", "ROADMAP.md", "YYYY-MM.md", "YYYY-MM-2.md"}
    for name, text in BY_NAME.items():
        for note in re.findall(r"`(?:[\w./-]*/)?([\w-]+\.md)`", text):
            assert note in known, f"{name}: {note}"


# ---- catalogues


def _spelt_in_code() -> tuple[set[str], list[re.Pattern[str]]]:
    """Every string of the code, and a pattern for every string with values in it."""
    plain: set[str] = set()
    built: set[str] = set()
    for folder in ("config", "daemon", "parsers", "renderers"):
        for path in (ROOT / folder).rglob("*.py"):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    plain.add(node.value)
                elif isinstance(node, ast.JoinedStr):
                    parts = [part.value if isinstance(part, ast.Constant) else None for part in node.values]
                    if any(part and re.search(r"[a-z]", part) for part in parts):
                        built.add("".join(".+" if part is None else re.escape(part) for part in parts))
    return plain, [re.compile(pattern) for pattern in built if not re.fullmatch(r"[.+\\]*", pattern)]


def test_every_sentence_of_the_catalogue_is_used():
    plain, built = _spelt_in_code()
    keys = json.loads((ROOT / "config" / "locales" / "fr.json").read_text("utf-8"))
    words = {word for text in plain for word in re.findall(r"\w+", text)}
    for key in keys:
        bare = re.sub(r"\.(one|other)$", "", key)
        if {key, bare} & plain:
            continue
        patterns = [pattern for pattern in built if pattern.fullmatch(key) and "." in pattern.pattern]
        group, _, last = bare.rpartition(".")
        assert patterns or group in plain, f"nothing says {key}"  # `reason_of(group, last, words)`
        assert last in words or any(pattern.fullmatch(last) for pattern in built), f"nothing says {key}"


# ---- links, language


def slug(heading: str) -> str:
    kept = "".join(c for c in heading.lower() if c.isalnum() or c in " -_")
    return unicodedata.normalize("NFC", kept).strip().replace(" ", "-")


@pytest.mark.parametrize("name", BY_NAME)
def test_every_link_leads_somewhere(name):
    text = FENCE.sub("", BY_NAME[name])
    for link in re.findall(r"\[[^\]]*\]\(([^)]+)\)", text):
        target, _, anchor = link.partition("#")
        path = (ROOT / name).parent / target if target else ROOT / name
        assert path.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)$", FENCE.sub("", path.read_text("utf-8")), re.MULTILINE)
            assert anchor in map(slug, headings), link


def test_every_page_of_a_capability_is_linked_from_the_readme():
    for path in FEATURES:
        assert f"(docs/features/{path.name})" in README


def test_both_guides_say_the_same_things_in_the_same_order():
    french, english = (BY_NAME[f"docs/guide.{locale}.md"] for locale in ("fr", "en"))
    for mark in (r"^#+ ", r"^- ", r"^```"):
        assert len(re.findall(mark, french, re.MULTILINE)) == len(re.findall(mark, english, re.MULTILINE))
    assert re.findall(r"clavaire [a-z]+[^`\n]*", "\n".join(blocks(french, "sh"))) == re.findall(
        r"clavaire [a-z]+[^`\n]*", "\n".join(blocks(english, "sh"))
    )


def test_the_guides_say_what_a_purge_cannot_reach_and_what_is_not_kept():
    assert "n'atteint pas les autres copies" in BY_NAME["docs/guide.fr.md"]
    assert "cannot reach other copies" in BY_NAME["docs/guide.en.md"]
    assert "la date de création du fichier" in BY_NAME["docs/guide.fr.md"]
    assert "creation date" in BY_NAME["docs/guide.en.md"]


_OTHERS = re.compile(
    r"\b(?:claude|chatgpt|copilot|gemini|openai|notion|logseq|roam|evernote)\b", re.IGNORECASE
)


@pytest.mark.parametrize("name", BY_NAME)
def test_the_docs_speak_of_clavaire_alone_and_of_no_place(name):
    text = BY_NAME[name]
    assert not _OTHERS.search(text)
    assert not re.search(r"https?://|(?<![\w.~])/(?:home|Users|usr|tmp|var|work|root)\b|[A-Z]:\\", text)


def test_the_changelog_has_the_version_of_the_project():
    (version,) = re.findall(r'^version = "(.*)"', (ROOT / "pyproject.toml").read_text("utf-8"), re.MULTILINE)
    assert f"\n## {version} " in BY_NAME["CHANGELOG.md"]
    assert "\n### Added\n" in BY_NAME["CHANGELOG.md"]
