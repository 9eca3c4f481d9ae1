"""Privacy with a slack δ: extreme points of (ε, δ)-private channels, and where their number changes."""
