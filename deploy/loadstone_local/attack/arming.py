"""Fills a statement's placeholders and says, when it has been carried out, whether it did what it must not."""

from dataclasses import dataclass

from loadstone_local.attack.canaries import PREFIX, Canaries
from loadstone_local.attack.statements import Statement


@dataclass(frozen=True)
class Armed:
    """A statement with a canary of its own."""

    statement: Statement
    key: str
    canaries: Canaries

    @property
    def text(self) -> str:
        replaced = {
            "@CANARY@": str(self.canaries.path(self.key)),
            "@NAME@": f"{PREFIX}{self.key}",
            "@SECRET@": str(self.canaries.secret_file),
            "@LIBRARY@": str(self.canaries.library),
            "@FOLDER@": str(self.canaries.folder),
        }
        text = self.statement.text
        for word, value in replaced.items():
            text = text.replace(word, value)
        return text

    def what_betrays_it(self, answer: str, *, was_accepted: bool) -> str:
        """Empty where the attack failed."""
        if self.canaries.betrayed(self.key):
            return f"the canary {self.key} appeared"
        if self.canaries.secret in answer:
            return "the planted secret was read"
        if self.canaries.betrayed("library"):
            self.canaries.forget("library")
            return "the planted library was loaded"
        return "the store carried it out" if was_accepted and self.statement.judge == "accepted" else ""


def arm(statement: Statement, prefix: str, canaries: Canaries) -> Armed:
    key = f"{prefix}-{statement.name}".replace(" ", "-").replace(",", "").replace("'", "").replace(".", "-")
    return Armed(statement, key, canaries)
