"""Runs: plans proposed, approved, carried out step by step with proof, and undone (policy-and-runs.md, A run)."""
