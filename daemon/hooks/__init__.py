"""What agents run by themselves when a session starts and before they compact it."""
