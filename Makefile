# Fresh machine: Python >= 3.11, pip and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Compiled bytecode is kept, whatever the shell says: tests start many processes that import the package.
export PYTHONDONTWRITEBYTECODE :=
# Each worker takes half of the files in a row and steals at the end: what a module builds is built once. The plugin of
# zarr would import all of zarr in every process.
TESTS := $(BIN)/pytest -n 2 --dist worksteal -m "not slow" -p no:zarr
PAGES := README.md CHANGELOG.md CONTRIBUTING.md $(wildcard docs/*.md docs/*/*.md)

.PHONY: demo test wheel-test docs style lint format coverage bench fuzz random studies gallery pictures clean

# Bytecode is made when a module is first imported: to make that of all packages takes most of a minute.
# A new pip finds packages in half the time of the one that comes with Python 3.11, which will do where there is no other.
$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt pip || true
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile -c constraints.txt -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/trundle run flyball-governor --out out

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/codespell

lint: style
	$(BIN)/mypy

# The type checker, which keeps one core busy for a minute, runs beside the tests; either can fail the target. To compile
# assertions that show their values takes a fresh clone ten seconds: those that failed are run once more with them.
test: style
	@mkdir -p out
	@$(BIN)/mypy >out/mypy.txt 2>&1 & checker=$$!; \
	$(TESTS) --assert=plain; tests=$$?; \
	[ $$tests -eq 0 ] || $(TESTS) --last-failed --last-failed-no-failures=none; \
	wait $$checker; types=$$?; echo "mypy:"; cat out/mypy.txt; \
	exit $$((tests + types))

# The pages as a site in out/site, built offline; links are checked by tests/pages/test_docs_site.py.
docs: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[docs]'
	$(BIN)/mkdocs build --strict --site-dir out/site

# A wheel, installed and tried outside this tree with every Python that is here (the loops take a
# minute to make).
wheel-test: $(STAMP)
	$(BIN)/python -m tools.wheel_test

# Code as ruff writes it, prose of the docs at 100 columns, the picture of the folders as they are now.
format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/python -m tools.public_names
	$(BIN)/python -m tools.wrap $(PAGES)
	$(BIN)/python -m tools.notebooks
	$(BIN)/python -m tools.folders

# Lines of src that the tests of `make test` run, without what numba compiles; html in out/coverage.
coverage: $(STAMP)
	$(TESTS) --cov --cov-report=term:skip-covered --cov-report=html:out/coverage

# Long hunts for wrong answers; docs/reliability.md says what each compares.
fuzz: $(STAMP)
	TRUNDLE_FUZZ=100000 $(BIN)/pytest -n 2 tests/adversary/test_damaged_files.py

random: $(STAMP)
	TRUNDLE_RANDOM=100 TRUNDLE_DRAWS=8 $(BIN)/pytest -n 2 tests/adversary/test_random_models.py

studies: $(STAMP)
	$(BIN)/pytest -n 2 -m slow

# Pictures of the docs, drawn anew by the code; examples in motion in out/gallery.
gallery: $(STAMP)
	$(BIN)/python -m benchmarks.gallery
	$(BIN)/python -m benchmarks.moving_gallery
	$(BIN)/python -m benchmarks.moving_gallery --readme

pictures: gallery
	$(BIN)/python -m benchmarks.connection_pictures
	$(BIN)/python -m benchmarks.frame_pictures
	$(BIN)/python -m benchmarks.wheel_pictures
	$(BIN)/python -m benchmarks.relative_motion_pictures
	$(BIN)/python -m benchmarks.impact_pictures
	$(BIN)/python -m benchmarks.impact_figures
	$(BIN)/python -m benchmarks.walker_pictures
	$(BIN)/python -m tools.page_code
	$(BIN)/python -m tools.folders

bench: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,peers]'
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) out
