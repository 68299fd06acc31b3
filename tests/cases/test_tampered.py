"""The register, changed by another program anywhere, closes at the next pass (vault-notes.md, The register)."""

import os


def test_an_earlier_line_changed_by_another_program_stops_all_writing(vault):
    home = vault()
    home.sync()
    home.write_profile(
        home.profile().replace("<!-- clavaire:end facts -->", "- un fait\n<!-- clavaire:end facts -->")
    )
    home.sync()
    (month,) = sorted((home.root / "99_Assistant" / "Registre").glob("*.md"))
    data = month.read_bytes()
    status = month.stat()
    forged = data.replace(b'"person"', b'"mcp:ab"', 1)
    assert len(forged) == len(data)
    month.write_bytes(forged)
    os.utime(month, ns=(status.st_atime_ns, status.st_mtime_ns + 1))
    before = home.profile()
    home.write_profile(before.replace("un fait", "un autre fait"))
    outcome = home.sync()
    assert outcome.closed is not None
    assert outcome.closed.line > 0
    assert month.read_bytes() == forged
    month.write_bytes(data)
    assert home.sync().closed is None
