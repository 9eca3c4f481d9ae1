"""The bug zoo: broken twins of our mechanisms, each beside its healthy one, and what catches them."""
