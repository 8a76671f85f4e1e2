"""Tutorials, how-tos and theory: every block of Python runs, and prints the numbers that its comments promise."""

from pathlib import Path

import matplotlib.pyplot as plt
import pytest
from tools.notebooks import PAGES
from tools.page_code import agrees, pages, pictures, run_page


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.stem)
def test_the_code_blocks_of_a_page_run_as_documented(
    page: Path, tmp_path: Path, recwarn: pytest.WarningsRecorder
) -> None:
    run_page(page, tmp_path)
    plt.close("all")
    assert page not in PAGES or not recwarn.list, [str(warning.message) for warning in recwarn.list]
    assert all((page.parent / "pictures" / name).is_file() for name in pictures(page))


def test_a_wrong_number_is_noticed(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# Page\n\n```python\nprint(2 / 3)  # 0.668\n```\n", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"page.md:4: '0.668'"):
        run_page(page, tmp_path)
    page.write_text("```python\nprint(2 / 3)  # 0.667\n```\n![](pictures/none.png)", encoding="utf-8")
    with pytest.raises(AssertionError, match=r"no block makes none\.png"):
        run_page(page, tmp_path)


def test_numbers_agree_to_the_digits_given() -> None:
    assert agrees("about 1.35 s and -2e-3", "1.3462, -0.0021") and agrees("True", "True")
    assert not agrees("1.35", "1.3561") and not agrees("3", "") and not agrees("2e-3", "0.0027")
