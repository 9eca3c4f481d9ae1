"""Places on a map of one's own, without tiles, and how far reports lie from them."""
