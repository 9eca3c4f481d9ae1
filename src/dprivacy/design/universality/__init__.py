"""For whom a mechanism is the best: for every prior and loss, for one loss, on a pair, along a path."""
