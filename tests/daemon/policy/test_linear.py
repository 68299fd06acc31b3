"""Any program may hand in any text: what looks for values and secrets in it takes time in proportion, no more.

What is compared is CPU time of this thread, of a text and of its first quarter, each the least of several tries: a
busy machine only adds to it. In proportion it is four times as much; with the square sixteen times.
"""

import math
import re
import time
from collections.abc import Callable

import pytest

from daemon.memory.secrets import secret_spans
from daemon.policy.formats import spot
from daemon.policy.lineage import Output, Said, trace

_SIZE = 60_000
_NOTHING = 0.1
"""Seconds that are no harm, whatever they grow with: at this size what grows with the square takes seconds."""
_TIMES = 8
"""Between four and sixteen, far from both."""
_TRIES = 4
_WORDS = (
    *(
        "a",
        "0",
        "é",
        "a.",
        "a-",
        "0-",
        "1 ",
        "a ",
        "\n",
        " ",
        ".\n",
        "012.",
        "1,",
        "1%",
        "1:",
        "(0",
        "+0 ",
        "#1 ",
    ),
    *(
        "a@",
        "a@b.",
        "a@b.fr ",
        "com.",
        "http://",
        "www.",
        "mailto:",
        "note ",
        "note n° is ",
        "1 to 1",
        "may 1 to ",
    ),
    *("iban 1 - ", "passport", "A1", "AB12 3456 ", "1234567 ", "12345678901234567890 ", "06 12 34 56 78 "),
    *(
        "eyJ",
        "eyJa.",
        "//",
        "/:_authToken=",
        "//a/:_authToken=",
        "sk-",
        "sk-a1T3BlbkFJ",
        "T3BlbkFJ",
        "aws",
        'awskey"',
    ),
    *(
        "glagent-",
        "glpat-",
        "pypi-AgEIcHlwaS5vcmc",
        "xoxa-1-",
        "BEGIN ",
        "BEGIN A ",
        "PRIVATE ",
        "SG.",
        "Ma1",
    ),
    *(
        "password ",
        "password=",
        "mot de passe est ",
        "token: a",
        "token:",
        "secret=!a",
        "SG.a",
        "xoxb-",
        "AIza",
    ),
    *("PuTTY-User-Key-File-2", "aaaaaaaaaaaaaaaaaaaaa!", "[[", "[", "`", "12345678:"),
)
_STARTS = (
    "note",
    "1 to",
    "may",
    "iban 1",
    "BEGIN RSA ",
    "a@",
    "PRIVATE",
    "//a",
    "eyJ",
    "mdp=",
    "token ",
    "sk-",
)


def took(work: Callable[[str], object], text: str) -> float:
    before = time.thread_time()
    work(text)
    return time.thread_time() - before


def check_linear(work: Callable[[str], object], unit: str, start: str = "") -> None:
    text = start + unit * (_SIZE // len(unit))
    whole = part = math.inf
    for number in range(_TRIES):  # never the same text twice: what is remembered takes no time
        end = " " * (number + 1)
        whole = min(whole, took(work, text + end))
        if whole < _NOTHING:
            return
        part = min(part, took(work, text[: len(text) // 4] + end))
        if whole < _TIMES * part:
            return
    raise AssertionError((start, unit, whole, part))


@pytest.mark.timeout(120)
@pytest.mark.parametrize("unit", _WORDS)
def test_looking_for_values_and_secrets_takes_time_in_proportion_to_the_text(unit):
    for work in (spot, secret_spans):
        check_linear(work, unit)


@pytest.mark.timeout(120)
@pytest.mark.parametrize("start", _STARTS)
def test_what_only_begins_like_a_value_is_given_up_at_once(start):
    for unit in (" ", "a", "1", "-", "\n", " 1", "//", "[["):
        for work in (spot, secret_spans):
            check_linear(work, unit, start)


def test_what_grows_with_the_square_is_found_out():
    pattern = re.compile(r"(?:a+b)|c")
    with pytest.raises(AssertionError):
        check_linear(lambda text: pattern.findall(text[: len(text) // 2]), "a")


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "unit", ["lea@example.org ", "https://a.fr/b ", "0612345678 ", "2024-05-06 18:00 ", "un deux "]
)
def test_tracing_a_text_takes_time_in_proportion_to_it_and_to_what_was_read(unit):
    read = unit * (_SIZE // len(unit))

    def traced(text: str) -> object:
        said = Said(read.replace("a", "e"), (Output("n.md", "web", read, "sensitive"),))
        return trace("body", "text", text, said)

    check_linear(traced, unit.replace("l", "m"))


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("x eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abc y", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0."),
        ("eyJeyJ eyJhbGciOiJIUzI1.eyJ1", "eyJhbGciOiJIUzI1.eyJ1"),
        ("a //r.fr/:_authToken=npm_a1b2c3d4e5f6g7h8 b\nc", "//r.fr/:_authToken=npm_a1b2c3d4e5f6g7h8 b"),
        ("//r/:_authToken=x //r/:_authToken=npm_abcdef1234567890 z", None),
        (
            "k sk-abc" + "a1" * 10 + "T3BlbkFJ" + "b2" * 10 + " z",
            "sk-abc" + "a1" * 10 + "T3BlbkFJ" + "b2" * 10,
        ),
        ("é" * 30 + "1 " + "sk-" + "a" * 40, ""),
    ],
)
def test_what_is_looked_for_in_one_pass_is_found_as_before(text, hidden):
    found = "".join(text[start:end] for start, end in secret_spans(text))
    assert found == (text if hidden is None else hidden)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("a@b.fr.x@c.fr", ["a@b.fr"]),
        ("x@ y@b @c a.b+c@d.e.org", ["a.b+c@d.e.org"]),
        ("a@b.com%y@z.fr", ["a@b.com", "%y@z.fr"]),
    ],
)
def test_addresses_are_found_where_others_only_begin(text, found):
    assert [one.text for one in spot(text) if one.kind == "email"][: len(found)] == found
