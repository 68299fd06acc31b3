"""A simulated connector, for tests and the demo: a mailbox in a folder, with `inbox/` and `outbox/`.

Messages are JSON: `{"from": …, "to": […], "date": …, "subject": …, "body": …}`; a message's id is its file's name. It
comes in by the entry-point group, as a third party's connector would, and only where `connectors.mailbox` names a
folder. Whatever it reads is of provenance `connector:mail`; a message is sent once for each key.
"""

import contextlib
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from config.settings import Settings
from daemon.policy.lineage import Output
from daemon.tools.arguments import Arguments
from daemon.tools.effects import Effects, Look
from daemon.tools.errors import StepFailed, ToolError
from daemon.tools.hands import Hands
from daemon.tools.tool import Sources, Tool, reader, tool
from daemon.vault.disk import make_folders, sync_folder, write_new

PROVENANCE = "connector:mail"
DOMAIN = "mail"
_ID = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,99}")
_ADDRESS = re.compile(r"[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+")
_HEADERS = ("from", "to", "date", "subject")


@dataclass(frozen=True, slots=True, kw_only=True)
class MailList(Arguments):
    """Of `mail_list`: the newest first."""

    limit: int = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class MailRead(Arguments):
    """Of `mail_read`."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MailSend(Arguments):
    """Of `mail_send`."""

    recipients: list[str]
    subject: str
    body: str


class Mailbox:
    """One mailbox; its folders are made at the first message that is sent."""

    def __init__(self, folder: Path) -> None:
        self._inbox, self._outbox = folder / "inbox", folder / "outbox"

    def messages(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Give id and content of every message received, the newest first; what is no message is left out."""
        found = []
        for path in self._inbox.glob("*.json") if self._inbox.is_dir() else ():
            with contextlib.suppress(ToolError):
                found.append((path.stem, self.message(path.stem)))
        return iter(sorted(found, key=lambda one: (str(one[1].get("date", "")), one[0]), reverse=True))

    def message(self, name: str) -> dict[str, Any]:
        """Give one message received.

        Raises:
            ToolError: There is none of this id.
        """
        found = None
        with contextlib.suppress(OSError, ValueError):
            if _ID.fullmatch(name):
                found = json.loads((self._inbox / f"{name}.json").read_text("utf-8"))
        if not isinstance(found, dict):
            raise ToolError("mail_missing", id=name[:100])
        return found

    def send(self, args: MailSend, key: str) -> None:
        """Put a message into the outbox, whole and on disk, once for each key.

        Raises:
            StepFailed: Another message was sent with this key.
        """
        sent = self._sent(key)
        if sent.exists():
            if not self.was_sent(args, key):
                raise StepFailed(sent.name)
            return
        make_folders(str(self._outbox))
        draft = sent.with_suffix(".part")
        draft.unlink(missing_ok=True)
        write_new(str(draft), _message(args))
        draft.rename(sent)
        sync_folder(str(self._outbox))

    def was_sent(self, args: MailSend, key: str) -> bool:
        """Tell whether exactly this message is in the outbox under this key."""
        try:
            return bool(key) and self._sent(key).read_bytes() == _message(args)
        except OSError:
            return False

    def _sent(self, key: str) -> Path:
        if not _ID.fullmatch(key):
            raise StepFailed(key)
        return self._outbox / f"{key}.json"


def _message(args: MailSend) -> bytes:
    said = {"to": args.recipients, "subject": args.subject, "body": args.body}
    return json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True).encode("utf-8")


def tools(settings: Settings) -> Sequence[Tool]:
    """Give the tools of the mailbox that the settings name; none where they name none."""
    folder = str(getattr(getattr(settings, "connectors", None), "mailbox", ""))
    return tools_of(Mailbox(Path(folder).expanduser())) if folder else ()


def tools_of(mailbox: Mailbox) -> tuple[Tool, ...]:
    """Give the tools of one mailbox."""
    return (*_reading(mailbox), _sending(mailbox))


def _reading(mailbox: Mailbox) -> tuple[Tool, ...]:
    external: Any = {"domain": DOMAIN, "effect": "external", "provenance": PROVENANCE}

    @reader("mail_list", MailList, roles={"limit": "query"}, **external)
    def mail_list(args: MailList, sources: Sources) -> tuple[Output, ...]:  # noqa: ARG001 - see `Read`
        found = list(mailbox.messages())[: max(args.limit, 0)]
        heads = [(name, {"id": name, **{key: one.get(key) for key in _HEADERS}}) for name, one in found]
        return tuple(Output(f"mail {name}", PROVENANCE, head, domain=DOMAIN) for name, head in heads)

    @reader("mail_read", MailRead, roles={"id": "query"}, **external)
    def mail_read(args: MailRead, sources: Sources) -> tuple[Output, ...]:  # noqa: ARG001 - see `Read`
        return (
            Output(f"mail {args.id}", PROVENANCE, {"id": args.id, **mailbox.message(args.id)}, domain=DOMAIN),
        )

    return (mail_list, mail_read)


def _sending(mailbox: Mailbox) -> Tool:
    def apply(args: MailSend, hands: Hands, effects: Effects, key: str) -> None:  # noqa: ARG001 - see `Apply`
        mailbox.send(args, key)

    def verify(args: MailSend, look: Look, effects: Effects, key: str = "") -> bool:  # noqa: ARG001 - see `Verify`
        return mailbox.was_sent(args, key)

    @tool(
        "mail_send",
        MailSend,
        domain=DOMAIN,
        risk="DANGEROUS",
        effect="external",
        flags=frozenset({"send"}),
        roles={"recipients": "deciding", "subject": "text", "body": "text"},
        data_classes=frozenset({"email", "phone", "note"}),
        apply=apply,
        verify=verify,
        inverse=None,
    )
    def mail_send(args: MailSend, look: Look) -> Effects:  # noqa: ARG001 - see `Plan`
        if not args.recipients or not all(map(_ADDRESS.fullmatch, args.recipients)):
            raise ToolError("mail_address", found=", ".join(args.recipients)[:100] or "…")
        return Effects(says="mail_send", values={"to": ", ".join(args.recipients), "subject": args.subject})

    return mail_send
