"""The only door to the notes on disk: door.py is what the others use, the rest is how it keeps its word."""
