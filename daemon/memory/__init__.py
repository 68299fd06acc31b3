"""Memory: what is known, and the rules that decide what an edit makes of it (memory.md). Pure."""
