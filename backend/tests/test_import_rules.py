"""Each import rule is alive: breaking it on purpose is caught, and by its own contract."""

import os
import shutil
import subprocess
import sysconfig
import tomllib
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
PACKAGES = [
    "backend/loadstone",
    "workers/contracts/loadstone_contracts",
    "workers/control/loadstone_control",
    "workers/agent/loadstone_agent",
    "workers/cli/loadstone_cli",
]
BREACHES = {
    "processes": ("loadstone/runs/service.py", "import loadstone_control"),
    "agent-alone": ("loadstone_agent/cli.py", "import loadstone.errors"),
    "command-line-alone": ("loadstone_cli/login.py", "import loadstone_contracts.agent_calls"),
    "domains": ("loadstone/targets/service.py", "import loadstone.runs.states"),
    "slices": ("loadstone/plans/repository.py", "import loadstone.plans.service"),
    "sql-in-its-place": ("loadstone/runs/service.py", "import sqlalchemy"),
    "http-at-the-edge": ("loadstone/plans/service.py", "import fastapi"),
    "celery-behind-the-contract": ("loadstone/dispatch/service.py", "import celery"),
    "pure-stats": ("loadstone/stats/histogram.py", "import loadstone.db"),
    "private-accounts": ("loadstone/runs/service.py", "import loadstone.accounts.repository"),
    "private-agents": ("loadstone/runs/service.py", "import loadstone.agents.repository"),
    "private-targets": ("loadstone/runs/service.py", "import loadstone.targets.repository"),
    "private-workloads": ("loadstone/runs/service.py", "import loadstone.workloads.repository"),
    "private-traces": ("loadstone/dispatch/service.py", "import loadstone.traces.repository"),
    "private-plans": ("loadstone/runs/service.py", "import loadstone.plans.repository"),
    "private-runs": ("loadstone/dispatch/service.py", "import loadstone.runs.repository"),
    "private-results": ("loadstone/dispatch/service.py", "import loadstone.results.repository"),
    "private-dispatch": ("loadstone/main.py", "import loadstone.dispatch.repository"),
    "private-audit": ("loadstone/main.py", "import loadstone.audit.repository"),
    "private-dashboards": ("loadstone/main.py", "import loadstone.dashboards.repository"),
    "private-comparisons": ("loadstone/main.py", "import loadstone.comparisons.repository"),
    "private-schedules": ("loadstone/main.py", "import loadstone.schedules.repository"),
    "private-queue": ("loadstone/main.py", "import loadstone.queue.repository"),
    "private-sharing": ("loadstone/main.py", "import loadstone.sharing.repository"),
    "private-comments": ("loadstone/main.py", "import loadstone.comments.repository"),
    "private-bundles": ("loadstone/main.py", "import loadstone.bundles.repository"),
    "private-trends": ("loadstone/main.py", "import loadstone.trends.repository"),
    "private-notifications": ("loadstone/main.py", "import loadstone.notifications.repository"),
}


CONTRACTS = {
    contract["id"]: contract["name"]
    for contract in tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the linter says of a copy of all packages in which every rule is broken, each in a line of its own."""
    tree = tmp_path_factory.mktemp("packages")
    for package in PACKAGES:
        source = REPOSITORY / package
        shutil.copytree(source, tree / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    for module, breach in BREACHES.values():
        with (tree / module).open("a") as file:
            file.write(f"\n{breach}\n")
    command = [
        Path(sysconfig.get_path("scripts")) / "lint-imports",
        "--no-cache",
        f"--config={REPOSITORY / 'pyproject.toml'}",
    ]
    # The copy stands before the installed packages.
    env = {**os.environ, "PYTHONPATH": str(tree), "COLUMNS": "200"}
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True)
    assert "Broken contracts" in done.stdout, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("contract", BREACHES)
def test_breaking_the_rule_is_caught(report: str, contract: str) -> None:
    """By its own contract, and as an import of that very line's module."""
    module, breach = BREACHES[contract]
    name = CONTRACTS[contract]
    assert f"{name} BROKEN" in report
    _, _, section = report.partition(f"\n{name}\n{'-' * len(name)}\n")
    found = section.partition("\n\n\n")[0]
    importer = module.removesuffix(".py").replace("/", ".")
    assert f"{importer} -> {breach.removeprefix('import ')} (l." in found, f"{breach} in {module} was not caught"


def test_every_contract_has_a_breach() -> None:
    assert set(CONTRACTS) == set(BREACHES)
