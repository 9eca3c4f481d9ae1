"""What a plan promises and costs, and which mechanisms would err less, before any data is touched."""
