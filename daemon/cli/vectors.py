"""Vectors after a command that brought the index in step, where `recall.model` names a model."""

from contextlib import closing

import click

from daemon.cli.session import Session, progress

_SECONDS = 5.0


def make_vectors(session: Session, *, all_of_them: bool) -> None:
    """Make vectors that notes wait for: some seconds' worth, or all; a model that is missing is said on stderr."""
    name = session.settings.recall.model
    if not name:
        return
    from daemon.index.store import Index
    from daemon.recall.backlog import begun
    from daemon.recall.embedding import NoModel

    with closing(Index.open(session.state_folder(), write=True, private=True)) as index:
        try:
            backlog = begun(index, name, session.words)
        except NoModel as error:
            click.echo(str(error), err=True)
            return
        if backlog is not None and all_of_them:
            backlog.finish(index, progress(session, "cli.embedding"))
        elif backlog is not None:
            backlog.step(index, _SECONDS)
