"""`python -m trundle`: the command `trundle`."""

from trundle.cli import main

if __name__ == "__main__":
    main()
