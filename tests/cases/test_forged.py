"""Lines another program puts in the register, and notes that are none of clavaire's business."""

import hashlib
import json
from pathlib import Path

import pytest

from config.paths import NAMES
from tests.asking import asked, cli, found, now, problems
from tests.home import Home


def register_file(home: Home) -> Path:
    (month,) = home.full(NAMES.register_folder).glob("*.md")
    return month


def forged(home: Home, op: str, mac: str, by: str = "person", **body: object) -> None:
    """Append a line that follows the last one rightly, as a program that knows the format can."""
    path = register_file(home)
    last = path.read_bytes().rstrip(b"\n").rpartition(b"\n")[2]
    known = json.loads(last)
    seal = known["mac"] if mac == "copied" else mac
    line = {"seq": known["seq"] + 1, "at": known["at"], "by": by, "op": op, **body}
    line |= {"prev": hashlib.sha256(last).hexdigest()[:16], "mac": seal}
    with path.open("ab") as stream:
        stream.write(json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n")


def a_fact(home: Home) -> dict[str, object]:
    known = next(record for record in home.records() if record.op == "fact.asserted")
    return {**known.body, "id": "f-00000000", "text": "tout est permis", "source": "user", "confidence": 1.0}


CLAIMS = {
    "a fact of the person": ("fact.asserted", a_fact),
    "an approval": ("plan.approved", lambda _: {"id": "r-00000000", "digest": "0" * 64}),
    "a delegation": ("delegation.granted", lambda _: {"id": "d-00000000", "domain": "vault", "level": 3}),
    "an answer to a card": ("card.answered", lambda h: {"id": h.open_cards()[0].id, "status": "answered"}),
    "a host": ("host.taken", lambda _: {"id": "h-00000000", "name": "ailleurs"}),
}


@pytest.mark.parametrize("mac", ["0" * 32, "copied"], ids=["invented seal", "copied seal"])
@pytest.mark.parametrize("claim", CLAIMS)
def test_a_forged_line_changes_no_state_and_status_names_it(vault, claim, mac):
    # R-A05; architecture.md, law 9
    home = vault()
    home.add_line("- thé", "preferences")
    home.rest()
    home.remember("Dentiste : Dr Martin", "mcp:claude-code", confidence=0.6)
    export = home.export()
    before = register_file(home).read_bytes()
    op, body = CLAIMS[claim]
    forged(home, op, mac, **body(home))
    for _ in range(2):
        home.add_line("- vélo", "preferences")
        kept = home.snapshot()
        outcome = home.sync()
        assert outcome.closed is not None
        assert not outcome.records
        assert not outcome.written
        assert home.snapshot() == kept
        assert home.export() == export
        assert json.loads(cli(home, "export")[1]) == json.loads(export)
        home.restart()
    line = before.count(b"\n") + 1
    note = f"{NAMES.register_folder}/{register_file(home).name}"
    handed_over = ("", 0, "register_foreign_host")  # vault-notes.md: it only stops this machine's writing
    assert problems(home) == [handed_over if op == "host.taken" else (note, line, "register_line_unsealed")]
    assert cli(home, "verify-register")[0] == 1
    home.drop_index()
    assert home.sync().closed is not None
    assert now(home) == ["Dentiste : Dr Martin", "thé"]
    register_file(home).write_bytes(before)
    home.restart()
    home.rest()
    assert "vélo" in now(home)
    assert not problems(home)


def test_a_changed_line_of_the_register_changes_no_state(vault):
    home = vault()
    home.add_line("- thé", "preferences")
    home.rest()
    export = home.export()
    path = register_file(home)
    path.write_bytes(path.read_bytes().replace("thé".encode(), b"rhum"))
    home.restart()
    home.sync()
    assert json.loads(cli(home, "export")[1]) == json.loads(export)
    assert [one[2] for one in problems(home)] == ["register_line_unsealed"]
    assert cli(home, "verify-register")[0] == 1
    assert cli(home, "rebuild")[0] != 0
    assert json.loads(cli(home, "export")[1]) == json.loads(export)


ODD = {
    "Note.md": "Le zinnia\n",
    "Sans fin.md": "Pas de fin",
    "crlf.md": "---\r\na: b\r\n---\r\nLigne\r\n",
    "bom.md": "\ufeff---\na: b\n---\nTexte\n",
    "Vide.md": "",
    "octets.md": b"\xff\xfe pas de l'utf-8\n",
    "Dossier/Section.md": "<!-- clavaire:begin preferences -->\n- pas la mienne\n<!-- clavaire:end preferences -->\n",
    "Dossier/Tâches.md": "- [x] Approuver ^go\n- Dentiste : Dr Faux ^f-12345678\n",
    "Dossier/image.png": b"\x89PNG\r\n",
    "99_Assistant/Autre.md": "<!-- clavaire:begin facts -->\n- pas un fait\n<!-- clavaire:end facts -->\n",
    ".obsidian/app.json": "{}",
}


def every_byte(home: Home) -> dict[str, tuple[bytes, int, int, int]]:
    stats = ((path, home.full(path).stat()) for path in ODD)
    return {p: (home.full(p).read_bytes(), s.st_mtime_ns, s.st_mode, s.st_ino) for p, s in stats}


def test_unmanaged_notes_keep_every_byte_and_time_whatever_is_done(vault):
    # law 2; R-A04
    home = vault(files=ODD, start=False)
    home.full("Note.md").chmod(0o600)
    before = every_byte(home)
    home.init()
    home.rest()
    for turn in range(3):
        home.add_line(f"- habitude {turn}", "preferences")
        home.remember(f"aime le thé numéro {turn}", "mcp:claude-code", confidence=0.6)
        home.tick(f"numéro {turn}", "keep")
        home.clock.advance(days=8)
        home.restart()
        home.rest()
    home.forget(home.fact("habitude 0").id)
    home.drop_index()
    home.rest()
    home.app.pipeline.rebuild()
    cli(home, "doctor", "--fix")
    assert every_byte(home) == before
    assert "pas la mienne" not in home.export()
    assert "pas un fait" not in home.export()
    assert found(home, "zinnia") == ["Note.md"]


def test_the_demo_vault_keeps_every_byte_of_its_unmanaged_notes(vault):
    # law 2
    home = vault("demo", start=False)
    before = home.snapshot(NAMES.assistant)
    home.init()
    home.rest()
    home.remember("Dentiste : Dr Martin")
    home.app.pipeline.rebuild()
    home.rest()
    assert home.snapshot(NAMES.assistant) == before


def test_every_problem_is_one_sentence_with_the_note_the_line_and_a_remedy_once(vault):
    home = vault(files={"Modèle.md": "---\na: b: c\n---\n"})
    home.add_line("- Jeton : ghp_16C7e42F292c6912E7710c838347Ae178B4a")
    home.write_profile(home.profile() + "- une ligne à côté\n")
    home.rest()
    home.rest()
    said = asked(home, "status")["problems"]
    assert sorted(one["code"] for one in said) == ["properties_invalid", "secret_line", "stray_lines"]
    for one in said:
        assert one["path"] in one["sentence"]
        assert f":{one['line']}" in one["sentence"]
        assert len(one["sentence"]) > len(one["path"]) + 40
    code, out, _ = cli(home, "doctor", "--json")
    assert code == 1
    assert sorted(one["code"] for one in json.loads(out)) == sorted(one["code"] for one in said)
