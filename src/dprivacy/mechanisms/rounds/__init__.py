"""Words that cannot be listed, asked for in rounds: what is sent, what is found, and how probably."""
