"""Every key of a plan file in words: what its reader takes, as a page and as a schema for editors."""
