"""The command line: start.py is its process, main.py its edge, session.py what commands share, the others commands."""
