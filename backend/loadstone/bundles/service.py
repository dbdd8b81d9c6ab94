"""Exporting a run, importing a bundle."""

import uuid
from collections.abc import Iterator
from typing import IO, NamedTuple

from loadstone.audit import service as audit
from loadstone.bundles import exporting, repository
from loadstone.bundles.errors import RunNotOver
from loadstone.bundles.importing import Import
from loadstone.bundles.reading import BundleReader
from loadstone.bundles.writing import write_bundle
from loadstone.db import UnitOfWork, unit_of_work
from loadstone.principal import Principal
from loadstone.results import service as results
from loadstone.runs import service as runs
from loadstone.runs.schemas import Run
from loadstone.runs.states import TERMINAL
from loadstone.trends import analysis as trends


class Imported(NamedTuple):
    run: Run
    is_new: bool


def check_exportable(unit: UnitOfWork, principal: Principal, run_id: uuid.UUID) -> None:
    """Raises NotFound, RunNotOver."""
    if runs.find_run(unit, principal, run_id).status not in TERMINAL:
        raise RunNotOver("Wait until it has ended, or cancel it: a bundle never changes.")


def export_bundle(principal: Principal, run_id: uuid.UUID) -> Iterator[bytes]:
    """The zip in chunks, from a transaction of its own that lasts as long as the download."""
    with unit_of_work() as unit:
        run = runs.find_run(unit, principal, run_id)
        digests = exporting.traces_of(unit, run)
        manifest = exporting.manifest(run, principal.team_name, len(digests))
        yield from write_bundle(manifest, exporting.bundle_files(unit, run, digests))


def import_bundle(unit: UnitOfWork, principal: Principal, file: IO[bytes], *, join_series: bool) -> Imported:
    """A run that is over and stays as it is; the one from before when the bundle was imported already.

    Raises BundleRefused and what derives from it.
    """
    reader = BundleReader(file)
    repository.lock_digest(unit.session, principal.team_id, reader.digest)
    known = repository.find_imported(unit.session, principal.team_id, reader.digest)
    if known is not None:
        return Imported(runs.get_run(unit, principal, known.id), is_new=False)
    run = Import(unit, principal, reader).carry_out()
    if join_series:
        results.join_series(unit, run)
        trends.analyse_run(unit, run.id)
    detail = {"name": run.name, "installation": reader.manifest.installation, "digest": reader.digest}
    audit.record(unit, principal, "run_imported", "run", run.id, detail)
    return Imported(runs.get_run(unit, principal, run.id), is_new=True)
