"""A server in a process of its own, for as long as it is measured, and clients for it."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import httpx

from bench.measure import ROOT, Unexpected, clean_environment

PATIENCE_S = 60


@dataclass(frozen=True)
class Server:
    """The process, and where it listens."""

    process: subprocess.Popen
    address: str

    def client(self) -> httpx.Client:
        """A client that keeps its connection."""
        return httpx.Client(base_url=self.address, timeout=PATIENCE_S, trust_env=False)


@contextmanager
def serving(*arguments: str) -> Iterator[Server]:
    """`python ARGUMENTS`, a server on 127.0.0.1 that says where it listens; it is gone at the end."""
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, cwd=ROOT, env=clean_environment(), stdout=subprocess.PIPE, text=True)
    try:
        yield Server(process, _address(process))
    finally:
        process.terminate()
        process.communicate(timeout=30)


def _address(process: subprocess.Popen) -> str:
    """The address that the server says it listens on."""
    said = []
    for line in process.stdout:
        if found := re.search(r"listening on (http://\S+)", line):
            return found[1]
        said.append(line.strip())
    raise Unexpected(f"the server did not start; it said: {' '.join(said)}")
