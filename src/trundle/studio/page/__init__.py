"""The page of the studio: HTML, style sheets and scripts."""
