"""A profile of many facts, typed into the note as a person would paste them."""

import random

import make_vault

END = "<!-- clavaire:end facts -->"


def sentences(count, seed=17):
    """Give facts that have nothing to do with one another."""
    draw = random.Random(seed)
    words = [word for word in make_vault.WORDS if word.isalpha()]
    return [f"{' '.join(draw.choices(words, k=5)).capitalize()} n° {n}" for n in range(count)]


def add(text, lines):
    """Give a profile with more lines at the end of its facts."""
    assert END in text
    return text.replace(END, "".join(f"- {line}\n" for line in lines) + END)


def with_facts(house, count):
    """Let a house know so many facts, and be at rest."""
    house.run("init", house.vault)
    house.profile.write_text(add(house.profile.read_text("utf-8"), sentences(count)), "utf-8")
    house.run("sync")
    house.run("sync")
