"""`watch` as a process that a test reads and saves for, without a terminal; nothing in it waits for time to pass."""

import signal
import subprocess
import sys

from tests.tools.throwaway import Project

END = "watching exercises/"  # how the last lines of a verdict begin


class Watched:
    """`python -m kata watch WORDS` in a throw-away kata."""

    def __init__(self, project: Project, *words: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "kata", "watch", *words],
            cwd=project.root,
            env=project.environment(**environment),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self.project, self.lines = project, list[str]()

    def until(self, words: str) -> str:
        """What is told up to the line that holds these words, in one line."""
        told = []
        for line in self.process.stdout:
            self.lines.append(line.rstrip("\n"))
            told.append(line.strip())
            if words in line:
                return " ".join(" ".join(told).split())
        raise AssertionError(f"watch ended with {self.process.wait()}, and never said {words!r}: {self.lines[-20:]}")

    def verdict(self) -> str:
        """The next verdict, to its last line."""
        return self.until(END)

    def send(self, number: signal.Signals) -> int:
        """The exit status after that signal."""
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
        self.process.stdout.close()
        self.process.wait(timeout=60)
