"""Text to types: pure, no disk, no clock, no SQL."""
