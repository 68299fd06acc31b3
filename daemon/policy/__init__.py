"""The policy: whether an action may happen, decided by visible rules alone; pure (policy-and-runs.md)."""
