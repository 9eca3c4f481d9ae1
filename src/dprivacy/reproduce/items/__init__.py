"""What an item is, how its lines are compared with the print, and the data it needs."""
