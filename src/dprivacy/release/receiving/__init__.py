"""What those who receive a table can say from it and its card."""
