"""Keys and tokens of known formats are found wherever they stand, and ordinary words are left alone (rule 13)."""

import pytest

from daemon.memory.secrets import secret_spans

_WORD = "aB3dE5gH7jK9mN1pQ2rS4tU6vW8xY0zA1bC3dE5fG7hJ9kL2"
"""As a generator gives it."""


def found(text: str) -> list[str]:
    return [text[start:end] for start, end in secret_spans(text)]


@pytest.mark.parametrize(
    "secret",
    [
        f"sk-{_WORD}",
        f"sk-or-v1-{_WORD}",
        f"AIza{_WORD[:35]}",
        f"GOCSPX-{_WORD[:28]}",
        f"ya29.{_WORD}",
        f"hf_{_WORD[:34]}",
        f"sk_live_{_WORD[:24]}",
        f"rk_live_{_WORD[:24]}",
        f"sk_test_{_WORD}",
        f"npm_{_WORD[:36]}",
        f"pypi-AgEIcHlwaS5vcmc{_WORD}{_WORD}",
        f"SG.{_WORD[:22]}.{_WORD[:43]}",
        "dop_v1_" + "a1b2c3d4" * 8,
        "xapp-1-A0123456789-1234567890123-" + "ab12" * 16,
        f"xoxb-123456789012-1234567890123-{_WORD[:24]}",
        "shpat_" + "a1b2c3d4" * 4,
        f"glpat-{_WORD[:20]}",
        f"AGE-SECRET-KEY-1{(_WORD + _WORD[:10]).upper()}",
        f"12345678:AA{_WORD[:33]}",
        f"ghp_{_WORD[:36]}",
        f"github_pat_{_WORD[:22]}_{_WORD}{_WORD[:11]}",
        f"sk-ant-api03-{_WORD}",
    ],
)
def test_a_key_of_a_known_format_is_found_to_its_end(secret: str) -> None:
    assert found(f"Clé : {secret} du serveur") == [secret]


@pytest.mark.parametrize(
    "text",
    [
        "mot de passe : hunter2secret",
        "mot de passe : voir Paul",
        "mot de passe : demander",
        "mot de passe : voir-avec Paul",
        "mot de passe : aujourd'hui",
        "mot de passe : [[Coffre2024]]",
        "mot de passe : paul2@example.org",
        "mot de passe : https://coffre.example/a1",
        "password: important!",
        "password: […]",
        "password = get_password2(x)",
        "Le secret est bien gardé",
        "Le secret est COVID-19",
        "le token est gpt-4o",
        "token : 2026-12-01",
        "Clé: changer les serrures",
        "Dentiste : Dr Martin",
        "sk-" + "a" * 48,
        "a1b2c3d4" * 8,
    ],
)
def test_ordinary_words_and_hashes_are_no_secret(text: str) -> None:
    assert found(text) == []
