"""The ledger of releases: what was spent on whom, refused past a budget, kept in a chain of hashes."""
