"""Each refusal of an amendment has its sentence in both languages."""

import ast
from pathlib import Path

import pytest

from config.i18n import LOCALES, catalogue
from renderers.amend import Unamendable, append

SOURCES = sorted((Path(__file__).parents[3] / "renderers" / "amend").glob("*.py"))


def raised():
    for source in SOURCES:
        for node in ast.walk(ast.parse(source.read_text("utf-8"))):
            if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Unamendable":
                values = {word.arg: "x" for word in node.keywords}
                codes = [one.value for one in ast.walk(node.args[0]) if isinstance(one, ast.Constant)]
                yield from ((code, values) for code in codes if isinstance(code, str))


@pytest.mark.parametrize("locale", LOCALES)
def test_each_refusal_has_its_sentence(locale):
    words = catalogue(locale)
    for code, values in raised():
        assert Unamendable(code, **values).said(words).endswith(".")
    codes = {f"amend.{code}" for code, _ in raised()} | {"amend.added_breaks", "amend.properties_broken"}
    assert {key for key in words.sentences if key.startswith("amend.")} == codes


def test_a_refusal_says_what_and_where_without_a_language_too():
    with pytest.raises(Unamendable, match="heading_missing, heading: A"):
        append("", "x", "A")
