"""SQL that those who receive a table ask of it: corrected for the noise, exact, or refused."""
