"""The command line: main.py is where it starts, session.py what commands share, the others are the commands."""
