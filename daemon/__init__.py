"""Everything with effects, and the pure decisions they serve; start with pipeline.py."""
