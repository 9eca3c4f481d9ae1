"""Tables that outgrow one machine: what Spark does, and how its output is committed."""
