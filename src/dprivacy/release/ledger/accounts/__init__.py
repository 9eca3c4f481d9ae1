"""Accounts: budgets, how charges become a guarantee, and schedules that are declared."""
