# The only list of commands. `make help` explains them.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help

PYTHON   ?= python3
VENV     ?= .venv
BIN      := $(VENV)/bin
PROTOS   := $(shell find proto -name '*.proto' | sort)
SERVICES := $(filter %_service.proto,$(PROTOS))
OUT      ?= proto
PROTOC   := $(BIN)/python -m grpc_tools.protoc -I proto
JOBS     ?= 2

.PHONY: help setup test lint ladder bench proto proto-check clean

help: ## explain the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1\t/' | column -t -s "$$(printf '\t')"

$(VENV)/.base: Makefile
	@command -v $(PYTHON) >/dev/null || { echo "rummyref needs Python 3.11 or newer, and there is no $(PYTHON); install it or say make PYTHON=…"; exit 2; }
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "rummyref needs Python 3.11 or newer, this is $$($(PYTHON) --version); say make PYTHON=…"; exit 2; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { echo "this Python has no venv module; install it (Debian: apt-get install python3-venv)"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.run: $(VENV)/.base pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[analysis]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet -c constraints.txt --group dev
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

setup: $(VENV)/.dev ## make the environment in .venv

ladder: $(VENV)/.run ## play the demo ladder: a referee, four bots, forty sets
	rm -rf build/ladder
	$(BIN)/rummyref ladder run ladders/demo.toml --data build/ladder

test: $(VENV)/.dev proto-check lint ## check everything: what CI runs
	$(BIN)/python -m pytest -q -n $(JOBS)

lint: $(VENV)/.dev ## check style, types, layers and the API
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint

bench: $(VENV)/.bench ## measure the engine and the referee beside their peers
	$(BIN)/python -m benchmarks

proto: $(VENV)/.dev ## generate the Python of the API
	$(PROTOC) --python_out=$(OUT) --mypy_out=quiet:$(OUT) $(PROTOS)
	$(PROTOC) --grpc_python_out=$(OUT) --mypy_grpc_out=quiet:$(OUT) $(SERVICES)

proto-check: $(VENV)/.dev ## fail when the generated code is stale
	@made=$$(mktemp -d); trap 'rm -r "$$made"' EXIT; $(MAKE) --silent proto OUT="$$made"; \
	diff -r -q -x '*.proto' -x py.typed -x __pycache__ "$$made/rummyref" proto/rummyref \
	|| { echo 'the generated code is stale: run make proto'; exit 1; }

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
