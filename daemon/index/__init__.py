"""The index: SQLite derived from the register and the notes; may be deleted at any time. The only SQL."""
