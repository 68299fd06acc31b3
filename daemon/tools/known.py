"""The tools by name: what the registry gives, light to import."""

from collections.abc import Iterable, Iterator, Mapping

from daemon.tools.tool import Tool
from parsers.model.places import Problem


class Registry(Mapping[str, Tool]):
    """The tools by name, in the order they are listed, and what is wrong with those that are left out."""

    def __init__(self, tools: Iterable[Tool], problems: Iterable[Problem] = ()) -> None:
        self._tools = {one.name: one for one in tools}
        self.problems = tuple(problems)

    def __getitem__(self, name: str) -> Tool:
        return self._tools[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._tools)

    def __len__(self) -> int:
        return len(self._tools)
