"""`trundle examples`: the list of examples."""

from textwrap import fill

from trundle import examples

LEAST = 20  # smallest width of the sentences in columns, however narrow the terminal is


def example_list(columns: int | None) -> str:
    """A line for each example, with its name and a sentence, which is wrapped if the width is given."""
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
