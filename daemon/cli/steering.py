"""Commands that steer a run: pause, resume, cancel, undo."""

from contextlib import closing
from typing import TYPE_CHECKING

import click

from daemon.cli.runs import tell
from daemon.cli.session import Session, WrongUse, json_option, named_run, pass_session, refused_by

if TYPE_CHECKING:
    from daemon.runs.state import Runs
    from parsers.model.runs import Control, Run


def _steer(session: Session, name: str, control: "Control") -> None:
    from daemon import acting
    from parsers.model.run_edits import Steer

    with closing(session.app()) as app:
        run = named_run(session, app.brought_up(), name)
        outcome = acting.do(app, [Steer(run.id, control, None)])
        refused_by(session, outcome)
        used = [one for one in outcome.records if one.op == "control.used" and one.body["id"] == run.id]
        known = app.pipeline.runs.runs
        if not used and control == "undo" and (why := _no_undo(session, app.pipeline.runs, run)):
            raise WrongUse(why)
        if not used:
            status = session.say(f"plan.status.{known[run.id].status}")
            label = session.say(f"control.{control}")
            raise WrongUse(session.say("error.not_now", id=run.id, control=label, status=status))
        if control == "undo":
            by = next(one for one in reversed(known.values()) if one.undoes == run.id)
            tell(session, by, app, undoes=run.id)
        else:
            tell(session, known[run.id], app)


def _no_undo(session: Session, known: "Runs", run: "Run") -> str:
    """Give why a run cannot be undone, `""` where its status says it."""
    from daemon.runs.undoing import not_undone

    now = known.runs[run.id]
    why = not_undone(known, now)
    if why in ("", "live"):
        return ""
    under_way = next((one.id for one in known.live() if one.undoes == run.id), "")
    return session.say(f"error.no_undo.{why}", id=run.id, by=now.undone_by or under_way)


@click.command()
@click.argument("name", metavar="RUN")
@json_option
@pass_session
def pause(session: Session, name: str) -> None:
    """Stop a run before its next effect, to go on later."""
    _steer(session, name, "pause")


@click.command()
@click.argument("name", metavar="RUN")
@json_option
@pass_session
def resume(session: Session, name: str) -> None:
    """Let a paused run go on; here, where no daemon executes."""
    _steer(session, name, "resume")


@click.command()
@click.argument("name", metavar="RUN")
@json_option
@pass_session
def cancel(session: Session, name: str) -> None:
    """Stop a run for good before its next effect; what is done stays."""
    _steer(session, name, "cancel")


@click.command()
@click.argument("name", metavar="RUN")
@json_option
@pass_session
def undo(session: Session, name: str) -> None:
    """Take back what a run did, as a run of its own; what changed since is left alone."""
    _steer(session, name, "undo")
