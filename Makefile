# `make serve` and `make test` set up everything that they need. They require Python 3.11 or newer.

PYTHON ?= python3
HOST ?= 127.0.0.1
PORT ?= 8700
DATA ?=
APP ?=
STATEMENTS ?= 1000000
COUNT ?= 200
CALLS ?= 5000
SEED ?= 0
BAR ?= 85
SINCE ?=
DRAW ?= 0
PART ?=
JOBS ?= 2
ROUNDS ?= 200
WALKS ?= 24
PACKAGES ?= node_modules
# One more than the number of cores, because tests wait for processes that they start.
TESTERS ?= $(shell echo $$(($$(getconf _NPROCESSORS_ONLN) + 1)))
VENV := .venv
BIN := $(VENV)/bin
RUNTIME := $(VENV)/.runtime
DEV := $(VENV)/.dev
DOCS := $(VENV)/.docs

# Tests start hundreds of processes, which start faster with cached bytecode. Container images often disable the cache.
export PYTHONDONTWRITEBYTECODE :=

.PHONY: javascript serve test test-all test-long examples test-timed coverage kills servers fuzz fuzz-calls browsers mutants lint types imports spelling check docs bench lock clean help

help: ## Show this list
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

serve: $(RUNTIME) ## Run the gateway (HOST=, PORT=, DATA=)
	$(BIN)/soundstage serve --host $(HOST) --port $(PORT) $(if $(DATA),--data $(DATA))

test: $(DEV) ## Run the tests
	$(BIN)/python -m pytest -m "not long" -n $(TESTERS) --dist loadfile $(TESTS)

test-long: $(DEV) ## Run the long tests (PART=1/3 runs a third of them)
	$(BIN)/python -m pytest -m "long and not timed" -n $(TESTERS) --dist loadfile $(if $(PART),--part $(PART)) $(TESTS)

test-all: test test-long examples ## Run every test except the timed ones

coverage: $(DEV) ## Run the quick tests and print their coverage (TESTS= selects a part)
	$(BIN)/python -m pytest -m "not long" -n $(TESTERS) --dist loadfile --cov --cov-report=term:skip-covered $(TESTS)

examples: $(DEV) ## Run the property tests with new examples (SEED=)
	$(BIN)/python -m pytest -m hypothesis -n $(TESTERS) --dist loadfile --hypothesis-profile others $(if $(SEED:0=),--hypothesis-seed $(SEED)) $(TESTS)

test-timed: $(DEV) ## Run the tests that measure time, on a quiet machine
	$(BIN)/python -m pytest -m timed $(TESTS)

kills: $(DEV) ## Kill gateways that create sessions, and check that nothing partial is left (ROUNDS=, SEED=)
	$(BIN)/python -m tests.gateway.kills --rounds $(ROUNDS) --seed $(SEED)

servers: $(DEV) ## Record and synthesise real servers, and write the results to docs/parity.md (NAMES=, WORK=, OTHERS=)
	$(BIN)/python -m tests.synthesis.servers $(NAMES) $(if $(WORK),--work $(WORK)) $(if $(OTHERS),--others $(OTHERS))

fuzz: $(DEV) ## Compare contexts that share pages with ordinary databases (STATEMENTS=, SEED=)
	$(BIN)/python -m tests.contexts.pages_fuzz --statements $(STATEMENTS) --seed $(SEED)

fuzz-calls: $(DEV) ## Call an app's tools thousands of times in two worlds, and check every guarantee (APP=, CALLS=, SEED=; LONG=1: long strings, SHARE= of them)
	$(BIN)/python -m tests.gateway.fuzz $(APP) --calls $(CALLS) --seed $(SEED) $(if $(LONG),--long) $(if $(SHARE),--share $(SHARE))

browsers: $(DEV) ## Compare the simulated browser with Chromium behind the real servers (PACKAGES= their node_modules, WALKS=, SEED=)
	$(BIN)/python -m tests.browsers $(PACKAGES) --walks $(WALKS) --seed $(SEED)

mutants: $(DEV) ## Change an app's kernels and list the changes that its cases miss (APP=, COUNT=, SEED=, BAR=, JOBS=, SINCE=, DRAW=)
	$(BIN)/python -m tests.mutants $(APP) --count $(COUNT) --seed $(SEED) --bar $(BAR) --jobs $(JOBS) $(if $(SINCE),--since $(SINCE) --draw $(DRAW))

lint: $(DEV) ## Check style and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(DEV) ## Check types
	$(BIN)/mypy

imports: $(DEV) ## Check that imports point one way
	$(BIN)/lint-imports

spelling: $(DEV) ## Check the spelling of code and documentation
	$(BIN)/codespell

javascript: $(DEV) ## Check the style of the browser's JavaScript (`npm run format` repairs it)
	PATH="$(CURDIR)/$(BIN):$$PATH" npm ci --silent
	PATH="$(CURDIR)/$(BIN):$$PATH" npm run --silent check

check: lint types imports spelling javascript ## Run lint, types, imports, spelling and javascript

docs: $(DOCS) ## Build the documentation site into build/site; a broken link is an error
	$(BIN)/zensical build --strict

bench: $(DEV) ## Measure the speed table against its yardsticks
	$(BIN)/python -m bench $(BENCH)

lock: $(DEV) ## Pin the dependencies
	$(BIN)/uv pip compile pyproject.toml --extra server --universal --generate-hashes --no-header -o requirements.lock
	$(BIN)/uv pip compile pyproject.toml --extra dev --universal --generate-hashes --no-header -o requirements-dev.lock
	$(BIN)/uv pip compile --group build --universal --generate-hashes --no-header -o requirements-build.lock
	$(BIN)/uv pip compile --group docs --constraint requirements-dev.lock --universal --generate-hashes --no-header -o requirements-docs.lock

clean: ## Remove the environment
	rm -rf $(VENV)

$(VENV)/pyvenv.cfg:
	$(PYTHON) -m venv $(VENV)

$(RUNTIME): $(VENV)/pyvenv.cfg requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $(RUNTIME)

$(DEV): $(RUNTIME) requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-dev.lock
	touch $(DEV)

$(DOCS): $(DEV) requirements-docs.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements-docs.lock
	touch $(DOCS)
