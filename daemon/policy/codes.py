"""The six digits that a program without the secret cannot know: what makes them, when they count (policy-and-runs.md).

A code is good once, for 15 minutes after it was shown on a terminal, and for exactly what was shown with it.
"""

import hashlib
import hmac
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from parsers.model.register import Record

GOOD_FOR = timedelta(minutes=15)
"""How long a code counts after it was shown."""
PER_THING = 5
"""Wrong codes after which a run is cancelled, or a line's widening dropped."""
IN_A_DAY = 10
"""Wrong codes in 24 hours, over everything, after which no code counts until `clavaire code --unblock`."""
_DAY = timedelta(hours=24)


def code_of(secret: bytes, digest: str, left_out: Sequence[str] = ()) -> str:
    """Give the six digits for a digest and the steps that are left out, in the order they stand."""
    said = "\x1f".join((digest, *left_out)).encode()
    return f"{int.from_bytes(hmac.digest(secret, said, 'sha256'), 'big') % 1_000_000:06d}"


def line_digest(canonical: str, nonce: str) -> str:
    """Give the digest of a line of Autonomie.md: its canonical JSON, and the nonce drawn when it was first seen."""
    return hashlib.sha256(f"{nonce}\n{canonical}".encode()).hexdigest()


@dataclass(slots=True)
class Codes:
    """What is known of codes: the last one shown for each thing, the wrong ones. Only `fold` changes it."""

    shown: dict[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    """Run or line → when its code was shown, and the steps left out with it."""
    wrong: tuple[tuple[str, str], ...] = ()
    """(time, run or line) of wrong codes since the last unblocking."""
    blocked: bool = False

    def fork(self) -> "Codes":
        """Give a copy; folding one leaves the other as it is."""
        return Codes(dict(self.shown), self.wrong, self.blocked)

    def fold(self, record: Record) -> None:
        """Apply one record; any other than `code.*` changes nothing."""
        name = str(record.body.get("id", ""))
        if record.op == "code.shown":
            self.shown[name] = (record.at, tuple(record.body.get("left_out", ())))
        elif record.op == "code.wrong":
            self.wrong = (*self.wrong[-200:], (record.at, name))
        elif record.op == "code.used":
            self.shown.pop(name, None)
        elif record.op == "code.blocked":
            self.blocked = True
        elif record.op == "code.unblocked":
            self.blocked, self.wrong = False, ()

    def is_open(self, name: str, now: datetime, left_out: Iterable[str] = ()) -> bool:
        """Tell whether a code for this, and for exactly these steps left out, may be given now."""
        at, shown_with = self.shown.get(name, ("", ()))
        if self.blocked or not at:
            return False
        age = now - datetime.fromisoformat(at)
        return timedelta(0) <= age <= GOOD_FOR and tuple(left_out) == shown_with

    def wrong_for(self, name: str) -> int:
        """Give how many wrong codes were typed for a run or line."""
        return sum(1 for _, one in self.wrong if one == name)

    def too_many(self, now: datetime) -> bool:
        """Tell whether one more wrong code now makes it `IN_A_DAY` within 24 hours."""
        return sum(1 for at, _ in self.wrong if now - datetime.fromisoformat(at) < _DAY) + 1 >= IN_A_DAY
