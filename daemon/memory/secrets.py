"""Where a text holds a key, a token or a private key of a known format (memory.md, rule 13); never by entropy.

The formats come from detect-secrets, which costs 20 MB and is only loaded for a text with a long enough word. Three of
them take time that grows with the square of a text made for that; they are looked for here, each in one pass.
"""

import importlib
import re
from collections.abc import Iterator
from functools import cache, lru_cache

Span = tuple[int, int]
_LONG = re.compile(r"[A-Za-z0-9_+/=.:-]{20}")
_SHORTEST = 20
_DIGIT = re.compile(r"\d")
_KEY = re.compile(r"PRIVATE\s+KEY|PuTTY-User")
_DETECTORS = (
    *(
        "aws",
        "azure_storage_key",
        "discord",
        "github_token",
        "gitlab_token",
        "mailchimp",
    ),
    *("private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe", "telegram_token", "twilio"),
)
_PREFIXED = re.compile(
    r"(?<![A-Za-z0-9])(?:"
    r"github_pat_[A-Za-z0-9_]{60,}+"
    r"|sk-(?:ant|proj|svcacct|admin|or-v1)-[A-Za-z0-9_-]{20,}+"
    r"|sk-(?=[A-Za-z]{0,47}\d)[A-Za-z0-9]{32,}+"
    r"|gsk_[A-Za-z0-9]{40,}+|xai-[A-Za-z0-9]{40,}+|pplx-[A-Za-z0-9]{40,}+|r8_[A-Za-z0-9]{37}"
    r"|AIza[\w-]{35}|GOCSPX-[\w-]{28}|ya29\.[\w-]{20,}+"
    r"|hf_[A-Za-z0-9]{30,}+"
    r"|[rs]k_(?:live|test)_[A-Za-z0-9]{16,}+|whsec_[A-Za-z0-9]{24,}+"
    r"|npm_[A-Za-z0-9]{36}|pypi-AgE[\w-]{50,}+"
    r"|SG\.[\w-]{16,}+\.[\w-]{16,}+"
    r"|do[oprt]_v1_[a-f0-9]{64}"
    r"|xapp-[A-Za-z0-9-]{40,}+|xox[abceoprs]-[A-Za-z0-9-]{20,}+"
    r"|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{32}"
    r"|gl(?:pat|ptt|dt|rt|ft|cbt|soat)-[\w-]{20,}+"
    r"|AGE-SECRET-KEY-1[A-Z0-9]{58}"
    r"|\d{8,10}:AA[\w-]{33}"
    r"|ntn_[A-Za-z0-9]{40,}+|lin_api_[A-Za-z0-9]{40}|figd_[\w-]{40,}+|dapi[a-f0-9]{32}|hvs\.[\w-]{24,}+"
    r")",
    re.ASCII,
)
"""Formats that the library lacks, or takes more narrowly than they are given out today."""
_PEM = r"(?:[A-Z0-9]+\s+){0,4}PRIVATE\s+KEY"
_BLOCKS = tuple(
    re.compile(f"{begin}.*?(?:{end}|\\Z)", re.DOTALL)
    for begin, end in (
        (rf"-{{0,5}}\s?BEGIN\s+{_PEM}", rf"END\s+{_PEM}(?:\s+BLOCK)?\s?-*"),
        (r"PuTTY-User-Key-File-\d", r"Private-(?:MAC|Hash):\s*[0-9a-fA-F]+"),
    )
)
"""Keys from their first line to their last, however their lines were joined; to the end where the last one lacks."""


_JWT = re.compile(r"eyJ[A-Za-z0-9_=-]++(\.[A-Za-z0-9_=-]++\.?)?")
"""A token, or what only begins like one, to its end: nothing in that is looked at twice."""
_OPENAI = re.compile(r"sk-[A-Za-z0-9_-]++")
_OPENAI_CORE = re.compile(r"[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}")
_ADDRESS = re.compile(r"//[^\n]++")
_NPM = "/:_authToken="
_NPM_VALUE = re.compile(r"\s*+(?:npm_.|[A-Fa-f0-9-]{36}).*")


@lru_cache(maxsize=16384)
def secret_spans(text: str) -> tuple[Span, ...]:
    """Give the ranges of characters that hold a secret, in order, none overlapping, in time linear in the text."""
    if not _may_hold_one(text):
        return ()
    patterns = (*_known_formats(), _PREFIXED, *_BLOCKS)
    found = [match.span() for pattern in patterns for match in pattern.finditer(text)]
    spans: list[Span] = []
    for start, end in sorted((*found, *_jwt(text), *_openai(text), *_npm(text))):
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)


def _may_hold_one(text: str) -> bool:
    return bool(_KEY.search(text)) or any(
        len(word) >= _SHORTEST and _DIGIT.search(word) and _LONG.search(word) for word in text.split()
    )


def _jwt(text: str) -> Iterator[Span]:
    return (match.span() for match in _JWT.finditer(text) if match[1])


def _openai(text: str) -> Iterator[Span]:
    """Give every key to the end of its word."""
    return (word.span() for word in _OPENAI.finditer(text) if _OPENAI_CORE.search(word[0], len("sk-")))


def _npm(text: str) -> Iterator[Span]:
    """Give every address with an npm token, from its slashes to the end of the line the token is in."""
    for line in _ADDRESS.finditer(text):
        at = text.find(_NPM, line.start() + len("//") + 1, line.end())
        while at >= 0:
            value = _NPM_VALUE.match(text, at + len(_NPM))
            if value:
                yield line.start(), value.end()
                break
            at = text.find(_NPM, at + 1, line.end())


@cache
def _known_formats() -> tuple[re.Pattern[str], ...]:
    base = importlib.import_module("detect_secrets.plugins.base").RegexBasedDetector
    found: list[re.Pattern[str]] = []
    for name in _DETECTORS:
        for plugin in vars(importlib.import_module(f"detect_secrets.plugins.{name}")).values():
            if isinstance(plugin, type) and issubclass(plugin, base) and plugin is not base:
                found += plugin().denylist
    return tuple(found)
