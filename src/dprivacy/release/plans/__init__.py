"""What happens to a table, said beforehand: columns, plans, forecasts, joint guarantees and cards."""
