"""The command line: main.py starts it, session.py is what commands share, the others are the commands."""
