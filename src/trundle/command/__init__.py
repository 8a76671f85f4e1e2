"""Implementations of the subcommands of the command line."""
