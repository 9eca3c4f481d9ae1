"""Laws of sums of independent draws, with what their arithmetic may be wrong by."""
