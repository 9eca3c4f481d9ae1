"""The command line. Exit codes: 0 yes, 1 an error, 2 wrong usage, 3 a guarantee failed."""

from dprivacy.cli.command_line import commands as commands, main as main
