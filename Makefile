# Fresh machine: Python >= 3.11, pip and make are enough.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: demo test lint bench fuzz random studies clean

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

demo: $(STAMP)
	$(BIN)/trundle run flyball-governor --out out

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo --no-cache

test: lint
	$(BIN)/pytest -n 2 -m "not slow"

# Long hunts for wrong answers; docs/reliability.md tells what each compares.
fuzz: $(STAMP)
	TRUNDLE_FUZZ=100000 $(BIN)/pytest -n 2 tests/adversary/test_damaged_files.py

random: $(STAMP)
	TRUNDLE_RANDOM=400 $(BIN)/pytest -n 2 tests/adversary/test_random_models.py

studies: $(STAMP)
	$(BIN)/pytest -n 2 -m slow

bench: $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,peers]'
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) out
