"""Tables as they come: which encoding, delimiter and header a file has, or that a person must say."""
