"""What everyone may know of where people are, and the mechanisms that make use of it."""
