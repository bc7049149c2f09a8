# SPDX-License-Identifier: GPL-3.0-or-later
"""A program of a scenario, its log, and what it takes."""

import pathlib
import signal
import subprocess

PATIENCE = 10


class Usage:
    """What a process has taken so far: processor seconds, waits of its own will, kilobytes."""

    def __init__(self, process):
        root = pathlib.Path(f"/proc/{process}")
        tasks = list((root / "task").iterdir())
        # Nanoseconds, much finer than the clock ticks of /proc/PID/stat.
        self.seconds = sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e9
        self.switches = sum(_status(task)["voluntary_ctxt_switches"] for task in tasks)
        status = _status(root)
        self.resident, self.anonymous = status["VmRSS"], status["RssAnon"]
        self.descriptors = len(list((root / "fd").iterdir()))
        self.threads = len(tasks)


def _status(folder):
    rows = (line.split(":", 1) for line in (folder / "status").read_text().splitlines())
    return {key: int(value.split()[0]) for key, value in rows if value.split() and value.split()[0].isdigit()}


class Program:
    """Runs from when it is made; its log is kept with the results."""

    def __init__(self, world, name, words, quiet=False):
        self.world = world
        self.name = name
        self.path = world.results / f"{name}.log"
        self.words = [str(word) for word in words]
        self.quiet = quiet
        self.start()

    def start(self):
        self.log = open(self.path, "ab")
        self.process = subprocess.Popen(
            self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL if self.quiet else self.log, stderr=self.log)

    @property
    def pid(self):
        return self.process.pid

    @property
    def is_running(self):
        return self.process.poll() is None

    def usage(self):
        return Usage(self.pid)

    def said(self, rows=None):
        lines = self.path.read_text(errors="replace").splitlines()
        return "\n".join(lines[-rows:] if rows else lines)

    def kill(self):
        self.process.kill()
        self.process.wait(PATIENCE)

    def end(self, patience=PATIENCE):
        """Asks it to end, and answers how it did."""
        if self.is_running:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(patience)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait(PATIENCE)
        self.log.close()
        return self.process.returncode
