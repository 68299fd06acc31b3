"""Ids: a letter, `-`, and eight characters of Crockford's base 32 in lower case (vault-notes.md)."""

import re

ENTROPY = 5
"""Random bytes one id is made of: 40 bits are eight characters of five."""

FACT, CARD, VAULT, HOST, RUN, STEP, DELEGATION, ENTITY = "f", "c", "v", "h", "r", "s", "d", "e"

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
DIGITS = "[0-9a-hjkmnp-tv-z]{8}"
"""Pattern of the eight characters."""

ID = re.compile(f"[fcsdeqr]-{DIGITS}")
"""An id that may stand in a note."""


def make_id(letter: str, entropy: bytes) -> str:
    """Give the id of five random bytes, `f-7h2k9qd3`; whoever calls brings the chance."""
    number = int.from_bytes(entropy[:ENTROPY], "big")
    return f"{letter}-" + "".join(_ALPHABET[number >> shift & 31] for shift in range(35, -5, -5))
