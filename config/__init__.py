"""Settings, persistent names and words."""
