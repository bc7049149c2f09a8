# SPDX-License-Identifier: GPL-3.0-or-later
"""The agent as a program, its controller, and its system calls."""

import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import scene
from client import Client
from controller import Controller

# What the agent has of the environment. The seed of its hash tables would differ in every run.
VARIABLES = ("PATH", "TMPDIR", "SWIFT_DETERMINISTIC_HASHING")
BOARD = pathlib.Path(__file__).parents[3] / "Board" / "virtual.toml"
PATIENCE = 120
ALLOCATORS = ("malloc", "calloc", "realloc", "posix_memalign", "aligned_alloc")


class DoesNotScan(Exception):
    """It has not begun to; what it and its starter had to say."""


class Agent:
    """Runs, and scans, from `with` on; `before` is what the program is started by, `state` a folder that outlasts it, and
    `clock` says the time once it has begun."""

    def __init__(self, program, interval=20, before=(), state=None, clock=None):
        self.clock = clock
        self.folder = pathlib.Path(tempfile.mkdtemp())
        (self.folder / "board").mkdir()
        shutil.copy(BOARD, self.folder / "board")
        manifest = self.folder / "accessoryd.toml"
        manifest.write_text(scene.manifest(interval))
        self.socket = str(self.folder / "socket")
        self.controller = Controller(str(self.folder / "controller"))
        # Errors go to a file, so that a full pipe cannot stop the agent.
        self.log = open(self.folder / "log", "w+")
        self.starter = subprocess.Popen(
            [*before, program, "--manifest", manifest, "--socket", self.socket,
             "--state", str(state or self.folder / "state"), "--radio", f"h4:{self.controller.path}"],
            stderr=self.log, pass_fds=[clock.descriptor] if clock else [],
            env={name: os.environ[name] for name in VARIABLES if name in os.environ} | (clock.variables if clock else {}))
        if clock:
            clock.agents.close()

    def __enter__(self):
        if not self.controller.awaits_scan(lambda: self.starter.poll() is None):
            raise DoesNotScan(self.end())
        return self

    def __exit__(self, *_):
        self.end()

    @property
    def process(self):
        return self.controller.process

    def client(self):
        return Client(self.socket)

    def end(self):
        """Ends the agent. Returns the errors that it and its starter printed."""
        if self.folder.exists():
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.process or self.starter.pid, signal.SIGTERM)
            if self.clock:
                self.clock.close()
            self.starter.wait(PATIENCE)
            self.controller.close()
            self.log.seek(0)
            self.said = self.log.read()
            shutil.rmtree(self.folder)
        return self.said

    def memory(self):
        """Kilobytes in memory, and those of them that are in no file."""
        lines = pathlib.Path(f"/proc/{self.process}/status").read_text().splitlines()
        values = dict(line.split(":", 1) for line in lines)
        return [int(values[name].split()[0]) for name in ("VmRSS", "RssAnon")]


class Instructions:
    """Counts the instructions of an agent that callgrind runs (`before`), while `with` lasts."""

    @staticmethod
    def before(file):
        return ["valgrind", "--tool=callgrind", "--vgdb=yes", f"--callgrind-out-file={file}"]

    def __init__(self, process, file):
        self.process, self.file = process, file

    def __enter__(self):
        self._command("zero")
        return self

    def __exit__(self, *_):
        self._command("dump")
        dump = max(self.file.parent.glob(f"{self.file.name}.*"), key=lambda path: int(path.suffix[1:]))
        text = dump.read_text()
        self.count = int(re.search(r"^totals: (\d+)", text, re.MULTILINE)[1])
        names = dict(re.findall(r"fn=(\(\d+\)) (.+)", text))
        calls = re.findall(r"^cfn=(\(\d+\)).*\ncalls=(\d+)", text, re.MULTILINE)
        self.allocations = sum(int(count) for name, count in calls if names.get(name) in ALLOCATORS)

    def _command(self, word):
        subprocess.run(
            ["vgdb", f"--pid={self.process}", word], check=True, capture_output=True, timeout=PATIENCE)


# A table of calls and names.
STRACE = ["strace", "-f", "-c", "-U", "calls,name"]


class CannotTrace(Exception):
    """strace is not allowed to; what it said."""


class SystemCalls:
    """Counts a process's system calls while `with` lasts."""

    def __init__(self, process):
        self.file = tempfile.NamedTemporaryFile("r")
        self.strace = subprocess.Popen(
            [*STRACE, "-o", self.file.name, "-p", str(process)], stderr=subprocess.PIPE, text=True)

    def __enter__(self):
        line = self.strace.stderr.readline()
        if "attached" not in line:
            self.strace.wait(PATIENCE)
            raise CannotTrace(line.strip())
        return self

    def __exit__(self, *_):
        self.strace.send_signal(signal.SIGINT)
        self.strace.wait(PATIENCE)
        self.counts = counts(self.file.read())


def counts(table):
    """Calls by name, of the table that strace prints."""
    rows = (line.split() for line in table.splitlines())
    return {row[1]: int(row[0]) for row in rows if len(row) == 2 and row[0].isdigit() and row[1] != "total"}
