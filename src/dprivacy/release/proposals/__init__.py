"""First plans: what would be done to each column of a table and why, from its data or a codebook."""
