# One command each: `make demo` plays the main job on a real vault, `make test` proves it.
PYTHON ?= python3
BIN := .venv/bin
DONE := .venv/.ready
SUITES ?= ../shared/bench/agentdojo
FORMAT ?= text
SET ?= ../shared/bench/recall/piaf

.PHONY: demo test lint types contracts fuzz bench bench-injection bench-recall clean

demo: $(DONE)
	$(BIN)/clavaire demo

test: lint types contracts
	$(BIN)/pytest -n 2 -m "not fuzz"

lint: $(DONE)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DONE)
	$(BIN)/mypy

contracts: $(DONE)
	$(BIN)/lint-imports

fuzz: $(DONE)
	HYPOTHESIS_PROFILE=fuzz $(BIN)/pytest -n 2 --timeout 3600

bench: $(DONE)
	$(BIN)/pytest tests/benchmarks --benchmark-only --benchmark-disable-gc -s --timeout 3600

bench-injection: $(DONE)
	$(BIN)/python -m tests.benchmarks.injection $(SUITES) --format $(FORMAT)

bench-recall: $(DONE)
	$(BIN)/python -m tests.benchmarks.recall $(SET)

$(DONE): pyproject.toml constraints.txt
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable ".[dev]"
	touch $(DONE)

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache build dist
