"""How two texts differ, and amendments that may be refused, for the tests of amendments."""

from itertools import takewhile

from renderers.amend import Unamendable


def shared(one, other):
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def gains_one_range(text, new):
    """Whether `new` is `text` with characters put in at one place."""
    return shared(text, new) + shared(text[::-1], new[::-1]) >= len(text)


def attempt(call, *args, refusals=None):
    """What an amendment gives, None when it is refused, for one of `refusals`."""
    try:
        return call(*args)
    except Unamendable as error:
        why = error.code
    assert refusals is None or why in refusals
    return None
