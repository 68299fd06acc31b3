"""The vocabulary every other module shares: notes, facts, cards, edits, events. It imports nothing of ours."""
