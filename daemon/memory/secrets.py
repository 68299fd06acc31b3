"""Where a text holds a key, a token or a private key of a known format (memory.md, rule 13); never by entropy.

The formats come from detect-secrets, which costs 20 MB and is only loaded for a text with a long enough word.
"""

import importlib
import re
from functools import cache, lru_cache

_CANDIDATE = re.compile(r"(?=[^\s]*\d)[A-Za-z0-9_+/=.:-]{20,}|PRIVATE\s+KEY|PuTTY-User")
_DETECTORS = (
    *(
        "aws",
        "azure_storage_key",
        "discord",
        "github_token",
        "gitlab_token",
        "jwt",
        "mailchimp",
        "npm",
        "openai",
    ),
    *("private_key", "pypi_token", "sendgrid", "slack", "square_oauth", "stripe", "telegram_token", "twilio"),
)
_NEWER = (
    re.compile(r"github_pat_[A-Za-z0-9_]{60,}"),
    re.compile(r"sk-(?:ant|proj|svcacct)-[A-Za-z0-9_-]{20,}"),
)
"""Formats younger than the library."""
_PEM = r"(?:[A-Z0-9]+\s+){0,4}PRIVATE\s+KEY"
_BLOCKS = tuple(
    re.compile(f"{begin}.*?(?:{end}|\\Z)", re.DOTALL)
    for begin, end in (
        (rf"-{{0,5}}\s?BEGIN\s+{_PEM}", rf"END\s+{_PEM}(?:\s+BLOCK)?\s?-*"),
        (r"PuTTY-User-Key-File-\d", r"Private-(?:MAC|Hash):\s*[0-9a-fA-F]+"),
    )
)
"""Keys from their first line to their last, however their lines were joined; to the end where the last one lacks."""


@lru_cache(maxsize=16384)
def secret_spans(text: str) -> tuple[tuple[int, int], ...]:
    """Give the ranges of characters that hold a secret, in order, none overlapping."""
    if not _CANDIDATE.search(text):
        return ()
    found = sorted(
        match.span() for pattern in (*_known_formats(), *_NEWER, *_BLOCKS) for match in pattern.finditer(text)
    )
    spans: list[tuple[int, int]] = []
    for start, end in found:
        if spans and start < spans[-1][1]:
            spans[-1] = (spans[-1][0], max(end, spans[-1][1]))
        else:
            spans.append((start, end))
    return tuple(spans)


@cache
def _known_formats() -> tuple[re.Pattern[str], ...]:
    base = importlib.import_module("detect_secrets.plugins.base").RegexBasedDetector
    found: list[re.Pattern[str]] = []
    for name in _DETECTORS:
        for plugin in vars(importlib.import_module(f"detect_secrets.plugins.{name}")).values():
            if isinstance(plugin, type) and issubclass(plugin, base) and plugin is not base:
                found += plugin().denylist
    return tuple(found)
