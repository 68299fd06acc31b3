"""now.md in the register: who wrote it last, to whom it was given, which sessions ended (policy-and-runs.md, A run).

Records and their bodies:
`now.written`   the four texts (null: that section stays as it stands), client, provenance, day
`now.shown`     written: seq of the writing that now.md shows
`now.given`     client, session, etag, day
`session.ended` client, session, first, last, calls
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from parsers.model.now import HEADINGS, NowSection, NowTexts, Written
from parsers.model.policy import least
from parsers.model.register import Record

_REMEMBERED = 200
"""Sessions of which it is remembered that they were given now.md, or that they ended."""


class Given(NamedTuple):
    """now.md was given to a client."""

    client: str
    session: str
    day: str
    seq: int


@dataclass(frozen=True, slots=True)
class Brain:
    """What is known of now.md and of the sessions that read it; `after` gives it as a record leaves it."""

    written: Written | None = None
    shown: int = 0
    """Number of the writing that now.md shows."""
    given: tuple[Given, ...] = ()
    """Oldest first, once a session and client."""
    ended: tuple[tuple[str, str], ...] = ()
    """(client, session) that ended lately, oldest first."""

    @property
    def waits(self) -> bool:
        """Whether something was written that now.md does not show yet."""
        return self.written is not None and self.written.seq > self.shown

    def unanswered(self, session: str = "") -> tuple[Given, ...]:
        """Give the last reading of each client that read now.md after it was written last, by client.

        `session` is the one that asks: that it reads now says nothing.
        """
        since = self.written.seq if self.written else 0
        last = {one.client: one for one in self.given if one.session != session and one.seq > since}
        return tuple(last[name] for name in sorted(last))

    def was_given(self, client: str, session: str) -> bool:
        """Tell whether a session of a client was given now.md."""
        return any((one.client, one.session) == (client, session) for one in self.given)


def brain_of(kept: Mapping[str, Any] | None) -> Brain:
    """Give what `values_of` gave back."""
    if not kept:
        return Brain()
    one = kept["written"]
    written = Written(**{**one, "texts": NowTexts(*one["texts"])}) if one else None
    given, ended = (Given(*known) for known in kept["given"]), ((name, end) for name, end in kept["ended"])
    return Brain(written, kept["shown"], tuple(given), tuple(ended))


def values_of(brain: Brain) -> dict[str, Any]:
    """Give what the index keeps of it, as JSON values."""
    one = brain.written
    written = one and {name: getattr(one, name) for name in Written.__slots__} | {"texts": list(one.texts)}
    given, ended = [list(known) for known in brain.given], [list(known) for known in brain.ended]
    return {"written": written, "shown": brain.shown, "given": given, "ended": ended}


def after(brain: Brain, record: Record) -> Brain:
    """Give what is known once a record happened; any other than `now.*` and `session.*` changes nothing."""
    body = record.body
    if record.op == "now.written":
        return replace(brain, written=_written(brain.written, record))
    if record.op == "now.shown":
        return replace(brain, shown=max(brain.shown, int(body["written"])))
    if record.op == "now.given":
        one = Given(str(body["client"]), str(body["session"]), str(body["day"]), record.seq)
        return replace(brain, given=(*brain.given, one)[-_REMEMBERED:])
    if record.op == "session.ended":
        over = (str(body["client"]), str(body["session"]))
        return replace(brain, ended=(*brain.ended, over)[-_REMEMBERED:])
    return brain


def _written(before: Written | None, record: Record) -> Written:
    body = record.body
    fresh = {name: body[name] for name in NowTexts._fields if body.get(name) is not None}
    texts = (before.texts if before else NowTexts())._replace(
        **{name: str(said) for name, said in fresh.items()}
    )
    seqs: dict[NowSection, int] = {name: before.seqs[name] if before else 0 for name in HEADINGS}
    seqs.update({name: record.seq for name in HEADINGS if name in fresh})
    # What a line says of where its text comes from is only believed where it is vouched for.
    provenance = least((str(body["provenance"]), *(() if record.vouched else ("vault",))))
    return Written(texts, seqs, str(body["client"]), provenance, str(body["day"]), record.seq)
