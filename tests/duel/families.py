"""Which servers a test is to catch, by its name, and who meets whom.

`test_generate` may have helpers: `test_generate_counts_tokens` belongs to its family, and a family catches together.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tests.duel.servers import BODY, COUNT, HEALTH, RIGHT, RIGHT_SERVERS, SERVERS, SETTINGS, STATUS, STREAM, Server

FAMILIES = {
    "test_health": (HEALTH,),
    "test_generate": (STATUS, BODY, COUNT),
    "test_stream": (STREAM,),
    "test_rejects_bad_settings": (SETTINGS,),
}
A_FEW_RIGHT = RIGHT_SERVERS[:3]
REQUIRED = ("test_health", "test_generate")


@dataclass(frozen=True)
class Fight:
    """Tests of the file, in its order, against one server. tests: their names, or None for all that belong to a family."""

    server: int
    tests: frozenset[str] | None = None
    alone: bool = False  # one test by itself

    def has(self, test: str) -> bool:
        """Whether the test takes part."""
        return family_of(test) is not None if self.tests is None else test in self.tests


def family_of(test: str) -> str | None:
    """The family that a test's name begins with; tests of no family are the learner's own affair."""
    return next((family for family in FAMILIES if test.startswith(family)), None)


def fights_for(tests: Collection[str]) -> list[Fight]:
    """Every server meets its tests together; then each required test alone meets those that it is to catch, and a few
    right ones: what another test leaves behind does not depend on the server.
    """
    fights = [Fight(number, frozenset(_together(tests, server))) for number, server in enumerate(SERVERS)]
    for test in tests:
        family = family_of(test)
        if family in REQUIRED:
            meant = [server for server in SERVERS if server.kind in FAMILIES[family]]
            fights += [Fight(SERVERS.index(server), frozenset({test}), alone=True) for server in (*A_FEW_RIGHT, *meant)]
    return fights


def _together(tests: Collection[str], server: Server) -> list[str]:
    """On right servers all of them, on broken ones the required tests, or the stretch test that the server is for."""
    families = next(([family] for family in FAMILIES if server.kind in FAMILIES[family]), list(FAMILIES))
    families = REQUIRED if families[0] in REQUIRED and server.kind != RIGHT else families
    return [test for test in tests if family_of(test) in families]
