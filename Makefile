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
BASELINE := proto/baseline.binpb
# The plug-ins by path: the environment need not be activated.
PROTOC   := $(BIN)/python -m grpc_tools.protoc -I proto \
            --plugin=$(BIN)/protoc-gen-mypy --plugin=$(BIN)/protoc-gen-mypy_grpc
JOBS     ?= 2

.PHONY: help setup test lint ladder ladder-hostile ladder-languages bench proto proto-check proto-baseline playthroughs \
	rule-pages clean

help: ## explain the targets
	@sed -nE 's/^([a-z-]+):.*## (.*)/\1 \2/p' $(MAKEFILE_LIST) | while read -r name text; do printf '%-16s %s\n' "$$name" "$$text"; done

$(VENV)/.base:
	@missing() { echo "rummyref needs $$1" >&2; exit 2; }; \
	command -v $(PYTHON) >/dev/null || missing "Python 3.11 or newer, and there is no $(PYTHON): install it or say make PYTHON=…"; \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || missing "Python 3.11 or newer, and $(PYTHON) is $$($(PYTHON) --version): say make PYTHON=…"; \
	$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || missing "the venv module of Python: install it (Debian: apt-get install python3-venv)"
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/.run: $(VENV)/.base pyproject.toml constraints.txt
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[analysis,report]'
	@touch $@

$(VENV)/.dev: $(VENV)/.run
	$(BIN)/python -m pip install --quiet -c constraints.txt --group dev
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet -c constraints.txt --group bench
	@touch $@

setup: $(VENV)/.dev ## make the environment in .venv

ladder: $(VENV)/.run ## play the demo ladder: a referee, four bots, sixty sets
	rm -rf build/ladder
	$(BIN)/rummyref ladder run ladders/demo.toml --data build/ladder
	$(BIN)/rummyref ladder verify build/ladder/ladders/demo.ladder.jsonl

ladder-hostile: $(VENV)/.dev ## play every bot that misbehaves beside honest ones and check what comes of each
	PYTHONPATH=.:proto $(BIN)/python -m tests.ladder.run_hostile

test: $(VENV)/.dev proto-check lint ## check everything: what CI runs
	$(BIN)/python -m pytest -q -n $(JOBS)

lint: $(VENV)/.dev ## check style, types, layers and the API
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against $(BASELINE)

ladder-languages: $(VENV)/.dev ## play bots in Go, TypeScript and Python against each other, where the machine has Go and Node.js
	PYTHONPATH=.:proto $(BIN)/python -m tests.starters.languages

bench: $(VENV)/.bench ## measure the engine and the referee beside their peers
	$(BIN)/python -m benchmarks

proto: $(VENV)/.dev ## generate the Python of the API
	$(PROTOC) --python_out=$(OUT) --mypy_out=quiet:$(OUT) $(PROTOS)
	$(PROTOC) --grpc_python_out=$(OUT) --mypy_grpc_out=quiet:$(OUT) $(SERVICES)

proto-check: $(VENV)/.dev ## fail when the generated code is stale
	@made=$$(mktemp -d); trap 'rm -r "$$made"' EXIT; $(MAKE) --silent proto OUT="$$made"; \
	diff -r -q -x '*.proto' -x py.typed -x __pycache__ "$$made/rummyref" proto/rummyref \
	|| { echo 'the generated code is stale: run make proto'; exit 1; }

proto-baseline: $(VENV)/.dev ## hold later changes of the API against it as it is now; BREAK=yes after a break
	@[ -n "$(BREAK)" ] || $(BIN)/buf breaking --against $(BASELINE) \
	|| { echo 'the API breaks its clients: undo that, or say make proto-baseline BREAK=yes'; exit 1; }
	$(BIN)/buf build --exclude-source-info -o $(BASELINE)

playthroughs: $(VENV)/.dev ## record the matches of tests/playthroughs anew
	PYTHONPATH=.:proto $(BIN)/python -m tests.playthroughs.transcript

rule-pages: $(VENV)/.dev ## write the tables of docs/rules anew
	PYTHONPATH=.:proto $(BIN)/python -m tests.rule_pages

clean: ## remove what the other targets made
	rm -rf $(VENV) build dist *.egg-info .mypy_cache .ruff_cache .import_linter_cache .hypothesis
