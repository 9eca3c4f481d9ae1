"""Where a ledger lies: a chain of sealed entries, in SQLite or in PostgreSQL."""
