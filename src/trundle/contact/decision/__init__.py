"""Which contacts close, stick and slide, decided for all at once."""
