# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd, and the units as they are installed, on a root of their own."""

import os
import pathlib
import signal
import subprocess

from agent import Answering
from errors import Failure
from program import PATIENCE, Program, Usage

GROUPS = pathlib.Path("/sys/fs/cgroup")
CONTROLLERS = "+cpu +memory +pids"
SERVICE = "accessoryd.service"


class System(Program):
    """systemd as the first process of its own processes, mounts and control groups; network and accounts are the
    guest's, since adapters are. It has come up when this is made."""

    def __init__(self, world):
        self.place = world.folder / "system"
        self.place.mkdir()
        self.group = _own_group() / "system"
        self.group.mkdir()
        words = ["/usr/bin/unshare", "--pid", "--mount", "--cgroup", "--fork", "--kill-child=KILL", "--mount-proc",
                 "sh", "/lab/laboratory/guest/system-root", self.place, "/mnt/units"]
        # Where its control groups begin is where it is when it leaves the others.
        super().__init__(world, "systemd", ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self.group, *words])
        self.first = world.until(self._first, "systemd begins")
        self.root = pathlib.Path(f"/proc/{self.first}/root")
        world.until(lambda: self._state() in ("running", "degraded") or not self.is_running, "systemd is up", 60, 0.2)
        if not self.is_running:
            raise Failure(f"systemd ended: {self.said(5)}")

    def _first(self):
        """Its process, as seen from here, once it is systemd."""
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        if children:
            # Nobody else may be in the group that is its first, or it cannot hand out controllers.
            (self.group.parent / "scenario" / "cgroup.procs").write_text(str(self.pid))
        if children and pathlib.Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n":
            return int(children[0])
        return None

    def _state(self):
        return self.run("systemctl", "is-system-running", check=False)

    def run(self, *words, check=True):
        """A program inside, and what it says."""
        inside = ["nsenter", f"--target={self.first}", "--pid", "--mount", "--cgroup", *words]
        done = subprocess.run(inside, capture_output=True, text=True)
        if check and done.returncode:
            raise Failure(f"{' '.join(words)} ends with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def systemctl(self, *words):
        return self.run("systemctl", *words)

    def property(self, name, unit=SERVICE):
        return self.systemctl("show", "--value", f"--property={name}", unit)

    def write(self, path, text):
        """A file of root's."""
        file = self.root / path
        file.write_text(text)
        file.chmod(0o644)

    def processes(self, unit=SERVICE):
        """Of a unit, as seen from here."""
        try:
            return [int(line) for line in (self.group / "system.slice" / unit / "cgroup.procs").read_text().split()]
        except OSError:
            return []

    def journal(self, unit=SERVICE):
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", f"--unit={unit}", check=False)

    def said(self, rows=None):
        """The units' words are in its journal."""
        lines = super().said().splitlines()
        if self.is_running and hasattr(self, "root"):
            text = self.run("journalctl", "--quiet", "--no-pager", "--output=short-monotonic", check=False)
            (self.world.results / "journal").write_text(text)
            lines += text.splitlines()
        return "\n".join(lines[-rows:] if rows else lines)

    def end(self, patience=PATIENCE):
        """With the first of them all end."""
        if self.is_running:
            os.kill(self.first, signal.SIGKILL)
        return super().end(patience)


class UnitAgent(Answering):
    """The agent that systemd runs."""

    def __init__(self, system):
        self.world = system.world
        self.system = system
        self.socket_path = str(system.root / "run/accessoryd/io.accessoryd")

    @property
    def pid(self):
        return self.system.processes()[0]

    def usage(self):
        return Usage(self.pid)

    @property
    def recovery_request(self):
        return self.system.root / "run/accessoryd/recovery-request"


def _own_group():
    """The scenario's control group, whose controllers may be used below it: then no process may be in itself."""
    name = pathlib.Path("/proc/self/cgroup").read_text().strip().removeprefix("0::/").split("/")[0]
    group = GROUPS / name
    own = group / "scenario"
    own.mkdir()
    for process in (group / "cgroup.procs").read_text().split():
        (own / "cgroup.procs").write_text(process)
    for place in (GROUPS, group):
        (place / "cgroup.subtree_control").write_text(CONTROLLERS)
    return group
