"""Cards that are proved again by whoever receives them, from their plan, file and receipt."""
