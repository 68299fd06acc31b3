"""Levels and delegations: what may pass without asking, and how the lines of Autonomie.md change it (R-P06).

Narrowing holds at once; every widening waits for a code and has no effect until it is given, so neither a program
that writes in the vault nor an old version of the note can widen anything.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from daemon.policy.codes import line_digest
from parsers.model.autonomy import DelegationLine, LevelLine
from parsers.model.policy import Delegation
from parsers.model.register import Record

DEFAULT_LEVELS: Mapping[str, int] = {"memory": 2, "vault": 2, "now": 1, "external": 0}
"""Level of each domain nobody set; a domain without a line has that of `external`."""
DEFAULT_REVIEW_DAYS = 90
HIGHEST = 3
_FIELDS = tuple(one.name for one in fields(Delegation))
Emit = Callable[..., None]


@dataclass(slots=True)
class Autonomy:
    """Levels and delegations at one moment. Only `fold` changes it."""

    levels: dict[str, int] = field(default_factory=lambda: dict(DEFAULT_LEVELS))
    asked_levels: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Domain → the higher level that waits for its code, and its nonce."""
    delegations: dict[str, Delegation] = field(default_factory=dict)
    """As they hold now, also the revoked ones."""
    asked: dict[str, Delegation] = field(default_factory=dict)
    """Id → the wider line that waits for its code."""

    def fork(self) -> "Autonomy":
        """Give a copy; folding one leaves the other as it is."""
        return Autonomy(dict(self.levels), dict(self.asked_levels), dict(self.delegations), dict(self.asked))

    def level(self, domain: str) -> int:
        """Give the level of a domain; one nobody named is external."""
        return self.levels.get(domain, self.levels["external"])

    def active(self) -> tuple[Delegation, ...]:
        """Give the delegations that hold, by id; whether today is past their review the policy says."""
        return tuple(one for _, one in sorted(self.delegations.items()) if one.status == "active")

    def waiting(self, name: str) -> str | None:
        """Give the digest that the code of a waiting line (`d-…`, `level-DOMAIN`) is for, None when none waits."""
        domain = name.removeprefix("level-")
        if name.startswith("level-") and domain in self.asked_levels:
            level, nonce = self.asked_levels[domain]
            return line_digest(_canonical({"domain": domain, "level": level}), nonce)
        if name in self.asked:
            one = self.asked[name]
            return line_digest(_canonical(_bounds(one)), one.nonce)
        return None


def _canonical(values: Mapping[str, Any]) -> str:
    return json.dumps(values, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _bounds(one: Delegation) -> dict[str, Any]:
    """What a delegation allows, without how it came about."""
    values = asdict(one)
    del values["status"], values["nonce"]
    return values


def fold(autonomy: Autonomy, record: Record) -> None:
    """Apply one record; any other than `level.*` and `delegation.*` changes nothing."""
    noun, _, verb = record.op.partition(".")
    body = record.body
    if noun == "level":
        _fold_level(autonomy, verb, body)
    elif noun == "delegation":
        _fold_delegation(autonomy, verb, str(body["id"]), body)


def _fold_level(autonomy: Autonomy, verb: str, body: Mapping[str, Any]) -> None:
    domain = str(body["domain"])
    if verb == "asked":
        autonomy.asked_levels[domain] = (int(body["level"]), str(body["nonce"]))
    else:
        autonomy.asked_levels.pop(domain, None)
    if verb == "set":
        autonomy.levels[domain] = int(body["level"])


def _fold_delegation(autonomy: Autonomy, verb: str, name: str, body: Mapping[str, Any]) -> None:
    if verb == "asked":
        autonomy.asked[name] = replace(delegation_of(body), status="pending")
        autonomy.delegations.setdefault(name, replace(autonomy.asked[name], status="pending"))
        return
    if verb in ("active", "narrowed"):
        autonomy.delegations[name] = replace(delegation_of(body), status="active")
    if verb == "revoked" and name in autonomy.delegations:
        autonomy.delegations[name] = replace(autonomy.delegations[name], status="revoked")
    if verb != "narrowed":  # active, revoked, dropped: nothing waits any more
        autonomy.asked.pop(name, None)
    if verb == "dropped" and autonomy.delegations.get(name, Delegation("", "", 0)).status == "pending":
        autonomy.delegations[name] = replace(autonomy.delegations[name], status="revoked")


def delegation_of(body: Mapping[str, Any]) -> Delegation:
    """Give the delegation that an event carries."""
    values: dict[str, Any] = {key: body[key] for key in _FIELDS if key in body}
    lists = ("paths", "origins", "covers")
    for key in lists:
        values[key] = tuple(values.get(key, ()))
    return Delegation(**values)


def event_of(one: Delegation) -> dict[str, Any]:
    """Give the body of an event that carries a delegation."""
    lists = ("paths", "origins", "covers")
    return {key: list(value) if key in lists else value for key, value in asdict(one).items()}


# ---- what the lines of the note want


def take_levels(autonomy: Autonomy, lines: Iterable[LevelLine], nonce: Callable[[], str], emit: Emit) -> None:
    """Decide the lines of levels: lower holds at once, higher waits for its code, as before asks for nothing.

    Two lines for one domain are no widening: the lower counts.
    """
    wanted: dict[str, int] = {}
    for line in lines:
        wanted[line.domain] = min(line.level, wanted.get(line.domain, HIGHEST))
    for domain, level in wanted.items():
        now = autonomy.level(domain)
        waits = autonomy.asked_levels.get(domain)
        if level > now and (waits is None or waits[0] != level):
            emit("level.asked", domain=domain, level=level, nonce=nonce())
        elif level < now:
            emit("level.set", domain=domain, level=level)
        elif level == now and waits is not None:
            emit("level.dropped", domain=domain)


def take_delegations(
    autonomy: Autonomy,
    lines: Sequence[DelegationLine],
    stood: Iterable[str],
    nonce: Callable[[], str],
    emit: Emit,
) -> None:
    """Decide the lines of delegations; every line bears an id by now (a new one that was just drawn).

    A line that stood there and is gone, or whose box is emptied, is revoked. An id that stands twice is revoked too
    where the lines differ: which of them the person meant is not guessed.
    """
    by_id: dict[str, list[DelegationLine]] = {}
    for line in lines:
        by_id.setdefault(line.id, []).append(line)
    for name, same in by_id.items():
        first = same[0]
        if any(other.says != first.says or not other.ticked for other in same) or not first.ticked:
            revoke(autonomy, name, emit)
        else:
            _take_line(autonomy, replace(first.says, id=name), nonce, emit)
    for name in stood:
        if name not in by_id:
            revoke(autonomy, name, emit)


def revoke(autonomy: Autonomy, name: str, emit: Emit) -> None:
    """Take a delegation back, and what waits of it; one that is unknown or over changes nothing."""
    known = autonomy.delegations.get(name)
    if known is not None and (known.status != "revoked" or name in autonomy.asked):
        emit("delegation.revoked", id=name)


def _take_line(autonomy: Autonomy, wants: Delegation, nonce: Callable[[], str], emit: Emit) -> None:
    name = wants.id
    holds = autonomy.delegations.get(name)
    active = holds if holds is not None and holds.status == "active" else None
    narrowed = meet(active, wants) if active else None
    if active and narrowed and _bounds(narrowed) != _bounds(active):
        emit("delegation.narrowed", **event_of(narrowed))
    elif active and narrowed is None:
        emit("delegation.revoked", id=name)
    waits = autonomy.asked.get(name)
    if narrowed is not None and _bounds(narrowed) == _bounds(wants):
        if waits is not None:
            emit("delegation.dropped", id=name)
    elif waits is None or _bounds(waits) != _bounds(wants):
        emit("delegation.asked", **event_of(replace(wants, status="pending", nonce=nonce())))


def ask(autonomy: Autonomy, wants: Delegation, nonce: Callable[[], str], emit: Emit) -> None:
    """Let a new line wait for its code, unless one that says the same holds or waits already."""
    bare, known = _bounds(replace(wants, id="")), (*autonomy.active(), *autonomy.asked.values())
    if not any(_bounds(replace(one, id="")) == bare for one in known):
        emit("delegation.asked", **event_of(replace(wants, status="pending", nonce=nonce())))


def meet(holds: Delegation, wants: Delegation) -> Delegation | None:
    """Give what both allow, None when that is nothing: what holds while a wider line waits for its code."""
    if wants.domain != holds.domain:
        return None
    origins = tuple(one for one in wants.origins if one in holds.origins)
    paths = _narrower(holds.paths, wants.paths)
    if not origins or paths is None:
        return None
    return replace(
        holds,
        level=min(holds.level, wants.level),
        paths=paths,
        origins=origins,
        covers=tuple(one for one in wants.covers if one in holds.covers),
        per_day=min(holds.per_day, wants.per_day),
        per_run=min(holds.per_run, wants.per_run),
        review=min(holds.review, wants.review),
    )


def _narrower(holds: Sequence[str], wants: Sequence[str]) -> tuple[str, ...] | None:
    if not holds:
        return tuple(wants)
    if not wants:
        return tuple(holds)
    inside = tuple(glob for glob in wants if any(glob == wide or _below(glob, wide) for wide in holds))
    return inside or None


def _below(glob: str, wide: str) -> bool:
    """Whether everything a glob names lies below a folder that `wide` names whole."""
    folder = wide.removesuffix("**")
    plain = not any(sign in folder for sign in "*?[") and ".." not in glob.split("/")
    return wide.endswith("/**") and plain and glob.startswith(folder)


def give_code(autonomy: Autonomy, name: str, *, right: bool, last: bool, emit: Emit) -> None:
    """Decide a code typed for a waiting line: the right one widens, the last wrong one drops what waits."""
    if autonomy.waiting(name) is None:
        return
    domain = name.removeprefix("level-")
    if right:
        emit("code.used", id=name)
        if name.startswith("level-"):
            emit("level.set", domain=domain, level=autonomy.asked_levels[domain][0])
        else:
            emit("delegation.active", **event_of(replace(autonomy.asked[name], status="active")))
        return
    emit("code.wrong", id=name)
    if last and name.startswith("level-"):
        emit("level.dropped", domain=domain)
    elif last:
        emit("delegation.dropped", id=name)
