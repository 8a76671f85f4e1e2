"""What the verbs of the command line do, apart from reading their options."""
