"""Amendments: one change asked of a note's text, which leaves every other character as it was.

Each takes a text and gives a text, or raises `Unamendable`: then nothing has changed. The result is read again
before it is given, so an amendment never moves a heading, a marker or a property nobody spoke of.
"""

from renderers.amend.failure import Unamendable
from renderers.amend.links import Relinker, relinked
from renderers.amend.passages import append, edit, section_replace
from renderers.amend.properties import property_remove, property_set
from renderers.amend.tasks import task_add, task_set

__all__ = [
    "Relinker",
    "Unamendable",
    "append",
    "edit",
    "property_remove",
    "property_set",
    "relinked",
    "section_replace",
    "task_add",
    "task_set",
]
