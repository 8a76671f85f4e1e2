"""What a user is told besides results: errors of wrong calls that say what to write, warnings, progress."""
