# SPDX-License-Identifier: GPL-3.0-or-later
"""systemd with the installed units, on a root file system of its own."""

import os
import pathlib
import signal
import subprocess

from agent import Client, GatewayCaller
from errors import ScenarioError
from program import PATIENCE, Program, Usage

GROUPS = pathlib.Path("/sys/fs/cgroup")
CONTROLLERS = "+cpu +memory +pids"
SERVICE = "accessoryd.service"


class System(Program):
    """systemd with its own processes, mounts and control groups. The network is the guest's, because the adapters are.
    When the constructor returns, systemd has started. The agent is installed, unless `installed` is false."""

    def __init__(self, world, installed=True):
        self.folder = world.folder / "system"
        self.folder.mkdir()
        self.group = _own_group() / "system"
        self.group.mkdir()
        tree = "/lab/units" if installed else "/var/empty"
        command = ["/usr/bin/unshare", "--pid", "--mount", "--cgroup", "--fork", "--kill-child=KILL", "--mount-proc",
                 "sh", "/lab/laboratory/guest/system-root", self.folder, tree]
        # The control group that it is in when it leaves the guest's becomes the root of its control groups.
        super().__init__(world, "systemd", ["sh", "-c", 'echo $$ >"$0/cgroup.procs"; exec "$@"', self.group, *command])
        # Most of it is the copying of the installed programs.
        self.first = world.until(self._first, "systemd starts", 60)
        self.root = pathlib.Path(f"/proc/{self.first}/root")
        world.until(lambda: self._state() in ("running", "degraded") or not self.is_running, "systemd is up", 60, 0.2)
        if not self.is_running:
            raise ScenarioError(f"systemd ended: {self.log_text(5)}")

    def _first(self):
        """The process identifier of systemd in the guest, once it runs."""
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        if children:
            # No other process may be in its root group, or it cannot delegate controllers.
            (self.group.parent / "scenario" / "cgroup.procs").write_text(str(self.pid))
        if children and pathlib.Path(f"/proc/{children[0]}/comm").read_text() == "systemd\n":
            return int(children[0])
        return None

    def _state(self):
        return self.run("systemctl", "is-system-running", check=False)

    def inside(self, *arguments):
        """The command that runs an installed program inside."""
        return ["nsenter", f"--target={self.first}", "--pid", "--mount", "--cgroup",
                "env", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *arguments]

    def run(self, *arguments, check=True):
        """Runs a program inside, and returns its output."""
        done = subprocess.run(self.inside(*arguments), capture_output=True, text=True)
        if check and done.returncode:
            raise ScenarioError(f"{' '.join(arguments)} ends with {done.returncode}: {done.stdout}{done.stderr}")
        return done.stdout.strip()

    def systemctl(self, *arguments):
        return self.run("systemctl", *arguments)

    def property(self, name, unit=SERVICE):
        return self.systemctl("show", "--value", f"--property={name}", unit)

    def write(self, path, text):
        """Writes a file that belongs to root."""
        file = self.root / path
        file.write_text(text)
        file.chmod(0o644)

    def processes(self, unit=SERVICE):
        """The processes of a unit, by their identifiers in the guest."""
        try:
            return [int(line) for line in (self.group / "system.slice" / unit / "cgroup.procs").read_text().split()]
        except OSError:
            return []

    def journal(self, unit=SERVICE):
        return self.run("journalctl", "--quiet", "--no-pager", "--output=cat", f"--unit={unit}", check=False)

    def log_text(self, rows=None):
        """Its log and the journal, in which the units' output is."""
        lines = super().log_text().splitlines()
        if self.is_running and hasattr(self, "root"):
            text = self.run("journalctl", "--quiet", "--no-pager", "--output=short-monotonic", check=False)
            (self.world.results / "journal").write_text(text)
            lines += text.splitlines()
        return "\n".join(lines[-rows:] if rows else lines)

    def end(self, patience=PATIENCE):
        """Ends all its processes, which end with the first."""
        if self.is_running:
            os.kill(self.first, signal.SIGKILL)
        return super().end(patience)


class UnitAgent(GatewayCaller):
    """The agent that systemd runs."""

    def __init__(self, system):
        self.world = system.world
        self.system = system
        self.socket_path = str(system.root / "run/accessoryd/io.accessoryd")
        self.app_folder = system.root / "run/accessoryd/app"

    def client(self, user=0, app=None):
        """Connects to the agent's socket, or to an app's own."""
        path = str(self.app_folder / app) if app else self.socket_path
        # An account may not look into the root of another process, but into a folder that its own process has open.
        folder = os.open(os.path.dirname(path), os.O_PATH)
        try:
            return Client(f"/proc/self/fd/{folder}/{os.path.basename(path)}", user)
        finally:
            os.close(folder)

    @property
    def pid(self):
        return self.system.processes()[0]

    def usage(self):
        return Usage(self.pid)

    @property
    def recovery_request(self):
        return self.system.root / "run/accessoryd/recovery-request"


def _own_group():
    """The scenario's control group, with its controllers delegated. Therefore its processes move to a group in it."""
    name = pathlib.Path("/proc/self/cgroup").read_text().strip().removeprefix("0::/").split("/")[0]
    group = GROUPS / name
    own = group / "scenario"
    own.mkdir()
    for process in (group / "cgroup.procs").read_text().split():
        (own / "cgroup.procs").write_text(process)
    for folder in (GROUPS, group):
        (folder / "cgroup.subtree_control").write_text(CONTROLLERS)
    return group
