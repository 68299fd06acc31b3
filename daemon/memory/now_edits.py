"""What is decided of now.md: it is written, it was given to a client, a session ended."""

from collections.abc import Callable

from daemon.memory.moment import Deliberation, Moment
from parsers.model.edits import NowGiven, NowWrite, SessionEnded
from parsers.model.now import NowTexts
from parsers.model.policy import least
from parsers.now import faults, plain


def write(work: Deliberation, edit: NowWrite) -> None:
    """Write now.md, where the policy lets it and nothing in the texts keeps it from being read (R-N02)."""
    if not edit.allowed or not writable(edit, work.moment):
        return
    texts = texts_of(edit, work.moment.redacted)
    before = work.state.brain.written
    stays = () if edit.whole or before is None else (before.provenance,)
    work.emit(
        "now.written",
        **(texts._asdict() if edit.whole else {**dict.fromkeys(NowTexts._fields), "step": texts.step}),
        client=edit.origin,
        provenance=least((edit.provenance, *((edit.origin,) if edit.origin != "person" else ()), *stays)),
        day=work.moment.today.isoformat(),
    )


def writable(edit: NowWrite, moment: Moment) -> bool:
    """Tell whether nothing in the texts keeps them out of now.md."""
    return not any(faults(texts_of(edit, moment.redacted), "all" if edit.whole else "step"))


def texts_of(edit: NowWrite, redacted: Callable[[str], str] = str) -> NowTexts:
    """Give the texts of a writing as they are compared and written, without secrets (rule 13)."""
    said = (edit.step, edit.services or "", edit.next or "", edit.context or "")
    return NowTexts(*(plain(redacted(plain(one))) for one in said))


def give(work: Deliberation, edit: NowGiven) -> None:
    """Record that a client was given now.md, once a session."""
    if not work.state.brain.was_given(edit.client, edit.session):
        day = work.moment.today.isoformat()
        work.emit("now.given", client=edit.client, session=edit.session, etag=edit.etag, day=day)


def end(work: Deliberation, edit: SessionEnded) -> None:
    """Record that a session is over, once."""
    if (edit.client, edit.session) not in work.state.brain.ended:
        work.emit(
            "session.ended",
            client=edit.client,
            session=edit.session,
            first=edit.first,
            last=edit.last,
            calls=dict(sorted(edit.calls)),
        )
