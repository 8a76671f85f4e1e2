"""`trundle examples`: the list of them."""

from textwrap import fill

from trundle import examples

LEAST = 20  # columns for the sentences, however narrow the terminal is


def example_list(columns: int | None) -> str:
    """A line for each example, its name and a sentence, which wraps in its column where a terminal has so many."""
    names = examples.names()
    indent = max(map(len, names)) + 2
    lines = []
    for name in names:
        sentence = examples.find(name).sentence()
        if columns is not None:
            space = " " * indent
            sentence = fill(sentence, max(columns, indent + LEAST), initial_indent=space, subsequent_indent=space)
        lines.append(f"{name:<{indent}}{sentence.lstrip()}")
    return "\n".join(lines)
