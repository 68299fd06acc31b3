"""A scratch mapping over one of thousands of entries, which is neither copied nor changed."""

from collections.abc import Iterator, MutableMapping, ValuesView
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Over(MutableMapping[K, V], Generic[K, V]):
    """What is put in it stays in it; nothing is taken out. It holds for as long as `base` does not change."""

    __slots__ = ("_base", "_own")

    def __init__(self, base: MutableMapping[K, V]) -> None:
        self._base = base
        self._own: dict[K, V] = {}

    def __getitem__(self, key: K) -> V:
        return self._own[key] if key in self._own else self._base[key]

    def __contains__(self, key: object) -> bool:
        return key in self._own or key in self._base

    def __setitem__(self, key: K, value: V) -> None:
        self._own[key] = value

    def __delitem__(self, key: K) -> None:
        raise TypeError(key)

    def __iter__(self) -> Iterator[K]:
        return iter({**self._base, **self._own})

    def __len__(self) -> int:
        return len(self._base.keys() | self._own.keys())

    def values(self) -> ValuesView[V]:
        """Give the values, at the price of a copy."""
        return {**self._base, **self._own}.values()
