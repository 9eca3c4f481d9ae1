"""What a received table lets one say, before it is shown."""
