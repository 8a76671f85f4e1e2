"""The page on which a run moves: one HTML file with everything in it, saved or served."""
