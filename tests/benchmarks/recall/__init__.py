"""Recall measured on a public set: notes, questions, and the blocks that answer them."""
