"""Jobs on files: journals, checkpoints, and how one that stopped goes on."""
