"""Types to text: pure, the mirror of parsers."""
