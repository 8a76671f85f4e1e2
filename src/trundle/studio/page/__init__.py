"""The page of the studio: markup, looks and scripts."""
