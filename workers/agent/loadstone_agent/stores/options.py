"""Options of a managed store, held against the allow-list that the service shows."""

from collections.abc import Mapping

from loadstone_contracts.agent_calls import TargetKind
from loadstone_contracts.store_options import store_options

from loadstone_agent.errors import BadPlan


def check_options(kind: TargetKind, title: str, options: Mapping[str, str]) -> None:
    """Raise BadPlan for an option that is not on the list, in exactly that spelling, or for a value it cannot have.

    Servers take more spellings than one (`loose_`, `skip-`, prefixes, capitals), so nothing is normalized here.
    """
    known = store_options()[kind]
    for name, value in options.items():
        option = known.get(name)
        if option is None:
            names = ", ".join(sorted(known))
            raise BadPlan(f"{title} has no option {name!r} that a target may set: use one of {names}.")
        if not option.accepts(value):
            raise BadPlan(f"{title}'s option {name} cannot be {value!r}: it takes {option.expectation}.")
