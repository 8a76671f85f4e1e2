"""The page that animates a run: one self-contained HTML file, saved or served."""
