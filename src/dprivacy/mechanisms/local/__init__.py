"""Local mechanisms for any number of labels: sets of them are sent, and never listed."""
