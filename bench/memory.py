"""The server's memory over many requests: a real uvicorn on 127.0.0.1, in a process of its own, asked one by one."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.measure import ROOT, Unexpected, clean_environment

WARM_UP = 20
NEW_TOKENS = 32


@dataclass(frozen=True)
class ServerMemory:
    """Resident megabytes of the server's process after the warm-up, half-way, and at the end."""

    requests: int
    before_mb: float
    half_way_mb: float
    after_mb: float

    @property
    def growth_mb(self) -> float:
        return self.after_mb - self.before_mb


def measure_memory(requests: int) -> ServerMemory | None:
    """Half of the requests stream, half do not. None where this system does not tell a process's memory."""
    with _server() as (process, client):
        if resident_mb(process.pid) is None:
            return None
        _ask(client, WARM_UP)
        before = resident_mb(process.pid)
        _ask(client, requests // 2)
        half_way = resident_mb(process.pid)
        _ask(client, requests - requests // 2)
        after = resident_mb(process.pid)
    return ServerMemory(requests, before, half_way, after)


def resident_mb(pid: int) -> float | None:
    """Resident memory of a process, from /proc or `ps`; None where neither is there (Windows)."""
    status = Path(f"/proc/{pid}/status")
    if status.exists():
        line = next(line for line in status.read_text().splitlines() if line.startswith("VmRSS:"))
        return int(line.split()[1]) / 1024
    try:
        said = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None
    return int(said) / 1024


@contextmanager
def _server() -> Iterator[tuple[subprocess.Popen, httpx.Client]]:
    """`python -m kata serve` on a free port, and a client for it; both are gone at the end."""
    command = [sys.executable, "-m", "kata", "serve", "--impl", "reference", "--port", "0"]
    process = subprocess.Popen(command, cwd=ROOT, env=clean_environment(), stdout=subprocess.PIPE, text=True)
    try:
        with httpx.Client(base_url=_address(process), timeout=60, trust_env=False) as client:
            yield process, client
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


def _ask(client: httpx.Client, times: int) -> None:
    for at in range(times):
        body = {"prompt": f"Question {at}: " + "what is a cache? " * (1 + at % 7), "max_new_tokens": NEW_TOKENS}
        client.post("/stream" if at % 2 else "/generate", json=body).raise_for_status()
