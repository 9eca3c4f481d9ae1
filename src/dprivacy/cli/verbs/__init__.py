"""The verbs of the command line: a file for each, or for a few that belong together."""
