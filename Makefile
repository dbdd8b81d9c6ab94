# Everything a person types. `make help` lists it.
SHELL := /bin/bash
.DEFAULT_GOAL := help
PYTHON ?= python3
LOCAL := $(PYTHON) -c 'import sys; sys.version_info >= (3, 11) or sys.exit("Python 3.11 or newer is needed; name one: make PYTHON=python3.12 ...")' && PYTHONPATH=deploy $(PYTHON) -m
UV_LOCK := .venv/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate

.PHONY: help
help: ## List the commands
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | awk -F ':.*## ' '{printf "  make %-14s %s\n", $$1, $$2}'

.PHONY: demo
demo: ## Install, build, start the stack on loopback and measure memcached and Redis
	@$(LOCAL) loadstone_local.demo

.PHONY: up
up: ## The same without the measurement
	@$(LOCAL) loadstone_local.demo up

.PHONY: down
down: ## Stop everything that make demo started
	@$(LOCAL) loadstone_local.stack_process

.PHONY: test
test: ## Install what tests need and run every check
	@$(LOCAL) loadstone_local.checks

.PHONY: screenshot
screenshot: ## Run the browser test and make the README's picture
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.browser_check --readme-screenshot $(CURDIR)/docs/run.png

.PHONY: attack
attack: ## Replay every attack on a live stack of its own (about 20 minutes; CLASSES="stores storm" for some of them)
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.attack $(if $(SEED),--seed $(SEED)) $(CLASSES)

.PHONY: bench-security
bench-security: ## Attacks tried and succeeded, revocation, retry after a kill, as JSON lines (about 20 minutes)
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.bench security

.PHONY: bench
bench: ## Measure what is claimed about the service and the engine, as JSON lines
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.bench

.PHONY: bench-engine
bench-engine: ## The engine against a bare loop and its peers, every cell (some minutes)
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.bench engine-full

.PHONY: bench-stats
bench-stats: ## How often verdicts are wrong and what they see, beside other rules (an hour; ARGS="--repetitions 200" for less)
	@nice -n 19 .venv/bin/python backend/bench/verdict_rates $(ARGS)

.PHONY: wheel
wheel: ## Build the engine into dist/ as a wheel for any Linux, and try it in a fresh environment
	@$(LOCAL) loadstone_local.wheel

.PHONY: studies
studies: ## The five studies in their quick size, each result beside the published ratio (about ten minutes)
	@PYTHONPATH=deploy .venv/bin/python -m loadstone_local.studies

.PHONY: sbom
sbom: ## Write what everything is built from (CycloneDX, from the lock files) into dist/sbom/
	@$(LOCAL) loadstone_local.sbom

.PHONY: audit
audit: ## Look for known faults in dependencies; says "not checked" where no advisories can be reached
	@$(LOCAL) loadstone_local.audit

.PHONY: lock
lock: ## Compile the hashed lock files from pyproject.toml
	@$(UV_LOCK) --group pyproject.toml:tools -o requirements-tools.txt
	@$(UV_LOCK) --group pyproject.toml:quickstart -o requirements-quickstart.txt
	@$(UV_LOCK) --group pyproject.toml:wheel -o requirements-wheel.txt
	@$(UV_LOCK) --group pyproject.toml:server --group pyproject.toml:agent --group pyproject.toml:cli --group pyproject.toml:build -o requirements.txt
	@$(UV_LOCK) -c requirements.txt --group pyproject.toml:agent --group pyproject.toml:build -o requirements-agent.txt
	@$(UV_LOCK) -c requirements.txt --group pyproject.toml:cli --group pyproject.toml:build -o requirements-cli.txt
	@$(UV_LOCK) -c requirements.txt --group pyproject.toml:server --group pyproject.toml:agent --group pyproject.toml:cli --group pyproject.toml:build --group pyproject.toml:dev -o requirements-dev.txt
