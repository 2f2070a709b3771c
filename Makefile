# Every target does its own set-up; only Python 3.11+ and make are needed.
.DEFAULT_GOAL := help
.PHONY: help setup demo test test-deep simulate lint format types contract docs man schemas docs-serve peers integrations lock lock-check package delivery check clean

BIN := .venv/bin
SOURCES := src tests examples scripts benchmarks conftest.py
# Two workers suit two cores; on a bigger machine: make test WORKERS=8
WORKERS ?= 2
# Of simulations; after an interrupt, go on with what is left of them.
SEEDS ?= 0-9999
COMPILE := sh scripts/uv.sh pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header

help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-11s %s\n", $$1, $$2 }' Makefile

setup: ## The environment in .venv, from requirements/dev.lock
	@sh scripts/setup.sh

demo: ## Two rankings in a minute, one of them by a model that runs here
	@sh scripts/setup.sh demo
	@.venv-demo/bin/python examples/demo.py

# Tests start some hundred interpreters, which share compiled files whatever the environment says.
test: export PYTHONDONTWRITEBYTECODE :=
test: setup ## All tests, and every code block of README and docs
	$(BIN)/pytest -n $(WORKERS)

test-deep: export PYTHONDONTWRITEBYTECODE :=
test-deep: setup ## All tests, with a thousand examples of each invariance and all combinations; takes hours
	$(BIN)/pytest -n $(WORKERS) --deep --timeout 7200
	$(MAKE) simulate

simulate: export PYTHONDONTWRITEBYTECODE :=
simulate: setup ## Faults by simulation: 10,000 seeds, or SEEDS=FIRST-LAST
	$(BIN)/python tests/simulation/simulate.py $(SEEDS) --processes $(WORKERS)

lint: setup ## Check style and formatting
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)

format: setup ## Fix formatting, and what else ruff can fix
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)

types: setup ## Check types, strictly
	$(BIN)/mypy

contract: setup ## Check which package may import which
	$(BIN)/lint-imports --no-cache

docs: setup ## The documentation, into site/
	@$(BIN)/python scripts/build_site.py

man: setup ## A manual page for each command, into build/man
	@$(BIN)/python scripts/man_pages.py build/man

schemas: setup ## The JSON schemas of records and configuration, and the tables of their pages and of commands
	@$(BIN)/python scripts/schemas.py
	@$(BIN)/python scripts/command_reference.py

docs-serve: setup ## The documentation at a local address, live
	@NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs serve

peers: setup ## Add to .venv the packages that benchmarks compare with
	@sh scripts/uv.sh pip install --quiet --python $(BIN)/python --require-hashes -r requirements/peers.lock

# The lock does not hold here: Inspect needs an older fsspec than what the lock has.
integrations: setup ## The packages that paragone.integrations works within, in an environment of their own, and its tests there
	@$(BIN)/python -m venv --clear --without-pip .venv-integrations
	@sh scripts/uv.sh pip install --quiet --python .venv-integrations/bin/python --group integrations --editable '.[memory]'
	.venv-integrations/bin/pytest tests/integrations -n0

lock: setup ## Update requirements/*.lock after a change of pyproject.toml
	$(COMPILE) --all-extras --group dev pyproject.toml -o requirements/dev.lock
	$(COMPILE) --extra local --group demo -c requirements/dev.lock --no-annotate pyproject.toml -o requirements/demo.lock
	$(COMPILE) --extra web --extra postgres --extra telemetry --extra fast --extra parquet --extra workers -c requirements/dev.lock --no-annotate \
	  pyproject.toml -o requirements/image.lock
	$(COMPILE) --group setup -o requirements/setup.lock
	$(COMPILE) --group peers --no-annotate -c requirements/dev.lock -o requirements/peers.lock

lock-check: setup ## Check that the locks match pyproject.toml
	@sh scripts/check_lock.sh

package: setup ## Build the package, install it elsewhere and run it there
	@sh scripts/check_package.sh

delivery: setup ## Check compose.yaml, manifests, unit; with ROOT=clean-root-file-system the Dockerfile too
	@sh scripts/check_delivery.sh $(ROOT)

check: test lint types contract docs lock-check package ## Everything that must pass

clean: ## Remove everything generated, including .venv
	rm -rf .venv .venv-demo .venv-integrations site dist build out .coverage .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
