"""Which servers a test is to catch, by its name, and who meets whom.

`test_generate` may have helpers: `test_generate_counts_tokens` belongs to its family, and a family catches together.
"""

from collections.abc import Collection
from dataclasses import dataclass

from tests.duel.servers import (
    BODY,
    COUNT,
    HEALTH,
    PLAIN_SERVER,
    RIGHT_SERVERS,
    SERVERS,
    SETTINGS,
    STATUS,
    STREAM,
)

FAMILIES = {
    "test_health": (HEALTH,),
    "test_generate": (STATUS, BODY, COUNT),
    "test_stream": (STREAM,),
    "test_rejects_bad_settings": (SETTINGS,),
}
A_FEW_RIGHT = RIGHT_SERVERS[:3]
REQUIRED = ("test_health", "test_generate")
STRETCH = ("test_stream", "test_rejects_bad_settings")


@dataclass(frozen=True)
class Fight:
    """Tests of the file, in its order, against one server. tests: their names, or the families that they belong to."""

    server: int
    tests: Collection[str]
    alone: bool = False  # one test by itself

    def has(self, test: str) -> bool:
        """Whether the test takes part."""
        return test in self.tests or family_of(test) in self.tests


def family_of(test: str) -> str | None:
    """The family that a test's name begins with; tests of no family are the learner's own affair."""
    return next((family for family in FAMILIES if test.startswith(family)), None)


def probe_of(families: Collection[str]) -> list[Fight]:
    """All tests of the families against a plain server: shows which there are, and which use the client."""
    return [Fight(SERVERS.index(PLAIN_SERVER), families)]


def fights_for(tests: Collection[str]) -> list[Fight]:
    """The tests together against every right server, and each by itself against every server that it is to catch.

    By itself a required test also meets a few right servers: what another test has left behind does not depend on them.
    """
    fights = [Fight(SERVERS.index(server), tests) for server in RIGHT_SERVERS]
    for test in tests:
        family = family_of(test)
        meant = [server for server in SERVERS if server.kind in FAMILIES[family]]
        right = A_FEW_RIGHT if family in REQUIRED else ()
        fights += [Fight(SERVERS.index(server), (test,), alone=True) for server in (*right, *meant)]
    return fights
