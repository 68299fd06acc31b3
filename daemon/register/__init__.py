"""The register: register.py reads and appends, repair.py purges and mends, keys.py is what vouches for it."""
