"""What time alone changes: review dates, the weekly reminder (memory.md, rules 10 and 14; R-M13)."""

from daemon.memory.moment import Deliberation, instant
from daemon.memory.pairing import alive


def tick(work: Deliberation) -> None:
    """Open the cards whose day has come."""
    _reviews(work)
    if work.moment.week > work.state.reminded:
        _weekly(work)


def _reviews(work: Deliberation) -> None:
    today = work.moment.today.isoformat()
    for fact in work.state.to_review(today):
        if alive(fact):
            key = f"{fact.id}.{fact.review}"
            if not work.asked("review", key):
                work.open_card("review", (fact.id,), fact.text, key=key)


def _weekly(work: Deliberation) -> None:
    """Bring deleted cards back, and group what has waited for more than `cards.pending_days`."""
    for card in work.state.open_cards():
        if card.hidden:
            work.emit("card.reshown", id=card.id, hidden=False)
    waiting = [
        card
        for card in work.state.open_cards()
        if card.kind == "proposal" and work.moment.now - instant(card.opened_at) > work.moment.pending
    ]
    for card in work.state.open_cards():
        if card.kind == "reminder":
            work.emit("card.withdrawn", id=card.id, status="withdrawn")
    if waiting:
        names = tuple(name for card in waiting for name in card.subjects)
        work.open_card("reminder", names, "\n".join(c.text for c in waiting), key=work.moment.week)
    work.emit("reminder.given", week=work.moment.week, cards=[card.id for card in waiting])
