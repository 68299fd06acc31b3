"""What agents call: one table of tools, and the session that remembers what was read."""
