# What a contributor runs; `.ci/run` does all of it in fresh environments.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

.PHONY: all venv test fuzz lint types docs bench clean

all: lint types test

venv: $(BIN)/.ready

$(BIN)/.ready: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/pip install -q -e ".[dev]"
	touch $@

test: venv
	$(BIN)/pytest

FUZZ ?= --seconds 60

fuzz: venv
	$(BIN)/python -m tests.fuzz $(FUZZ)

lint: venv
	$(BIN)/ruff check
	$(BIN)/ruff format --check

types: venv
	$(BIN)/python tools/link.py
	$(BIN)/mypy -p bpp

docs: venv
	$(BIN)/python tools/function_reference.py
	$(BIN)/python tools/diagnostic_reference.py
	$(BIN)/python tools/option_reference.py
	$(BIN)/python tools/option_reference.py

# what users have is measured: a wheel with compiled modules
bench:
	$(PYTHON) -m venv $(VENV)-bench
	$(VENV)-bench/bin/pip install -q ".[bench]"
	$(VENV)-bench/bin/python -m benchmarks

clean:
	rm -rf $(VENV) $(VENV)-bench build dist *.egg-info .link .pytest_cache .hypothesis .mypy_cache .ruff_cache \
	    benchmarks/work
	find functions pipeline transforms tests tools -name __pycache__ -type d -prune -exec rm -rf {} +
