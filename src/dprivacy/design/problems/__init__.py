"""The question read and taken apart: priors, losses, separate pieces, symmetries, machine limits."""
