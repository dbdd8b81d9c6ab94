"""Each import rule is alive: breaking it on purpose is caught, and by its own contract."""

import os
import shutil
import subprocess
import sysconfig
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


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A copy of all packages that may be broken."""
    for package in PACKAGES:
        source = REPOSITORY / package
        shutil.copytree(source, tmp_path / source.name, ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path


def broken_contracts(tree: Path, contract: str) -> str | None:
    """The linter's report of one contract, or None when it is kept."""
    command: list[str | Path] = [
        Path(sysconfig.get_path("scripts")) / "lint-imports",
        "--no-cache",
        f"--contract={contract}",
        f"--config={REPOSITORY / 'pyproject.toml'}",
    ]
    # The copy stands before the installed packages.
    env = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, cwd=tree, env=env, capture_output=True, text=True)
    assert "Contracts:" in done.stdout, done.stdout + done.stderr
    return done.stdout if done.returncode else None


@pytest.mark.parametrize("contract", BREACHES)
def test_breaking_the_rule_is_caught(tree: Path, contract: str) -> None:
    module, breach = BREACHES[contract]
    file = tree / module
    file.write_text(file.read_text() + f"\n{breach}\n")
    report = broken_contracts(tree, contract)
    assert report is not None, f"{breach} in {module} was not caught"
    assert "BROKEN" in report


def test_every_contract_has_a_breach() -> None:
    text = (REPOSITORY / "pyproject.toml").read_text()
    named = {line.split('"')[1] for line in text.splitlines() if line.startswith("id = ")}
    assert named == set(BREACHES)
