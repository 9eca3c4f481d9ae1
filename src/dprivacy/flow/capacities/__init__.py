"""The most that a channel can leak: over priors, over gains, in bits."""
