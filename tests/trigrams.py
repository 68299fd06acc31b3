"""A model as `recall.model` may name one: texts are near that share groups of three letters. Small and always there."""

import zlib

__version__ = "1"
WIDTH = 256


def _vector(text: str) -> list[float]:
    counts = [0.0] * WIDTH
    spelt = f"  {text.casefold()} "
    for start in range(len(spelt) - 2):
        counts[zlib.crc32(spelt[start : start + 3].encode()) % WIDTH] += 1
    return counts


def query(texts: list[str]) -> list[list[float]]:
    return [_vector(text) for text in texts]


def passage(texts: list[str]) -> list[list[float]]:
    return [_vector(text) for text in texts]
