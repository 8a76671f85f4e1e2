"""Crossings of event functions and times at which laws change."""
