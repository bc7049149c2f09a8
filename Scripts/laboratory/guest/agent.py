# SPDX-License-Identifier: GPL-3.0-or-later
"""The shipped agent, tested as its users see it: through its socket, and as a process."""

import json
import os
import pathlib
import select
import shutil
import socket
import subprocess
import time

from errors import ScenarioError
from program import Program

MANIFEST = """schema = 1
[gateway]
radio = "{radio}"
access = "{access}"
filter = "{filter}"
board = "{board}"
{more}
[app.lights]
user = "lights"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE"]
[[app.lights.item]]
id = "bulb"
name = "Lumo bulb"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.bluetooth-manufacturer-data-blob = "a55a0010"
descriptor.bluetooth-manufacturer-data-mask = "ffff00f0"
"""

# A board that scans all the time and has a recovery step of its own, which a scenario carries out.
LAB_BOARD = (pathlib.Path("/lab/Board/virtual.toml").read_text().replace('name = "virtual"', 'name = "lab"') + """
[[recovery]]
step = "rebind"
driver = "lab"
device = "controller-0"
""")


class Refusal(ScenarioError):
    """An error reply of the agent."""

    def __init__(self, reply):
        super().__init__(f"the agent refuses: {reply}")
        self.name = reply["error"].rpartition(".")[2]
        self.parameters = reply.get("parameters", {})


class GatewayCaller:
    """Calls an agent at its socket, `socket_path`, and waits in `world`."""

    def client(self, user=0):
        return Client(self.socket_path, user)

    def call(self, method, **parameters):
        with self.client() as client:
            return client.call(method, **parameters)

    def status(self):
        return self.call("Status")

    def radio(self):
        return self.status()["radio"]

    @property
    def filter(self):
        """How the kernel's filter is, in words."""
        return self.radio().get("filter", "")

    def await_filter(self):
        self.world.until(lambda: (text := self.filter) and not text.startswith("none"), "there is a filter")

    def metrics(self):
        """All metrics: their names with labels, and their numbers."""
        values = {}
        for line in self.call("Metrics")["text"].splitlines():
            if line and not line.startswith("#"):
                name, value = line.rsplit(" ", 1)
                values[name.removeprefix("accessoryd_")] = float(value)
        return values

    def await_state(self, state, seconds=20):
        """Waits for a state of the radio, and returns the radio's status."""
        return self.world.until(
            lambda: (radio := self.radio())["state"] == state and radio, f"the radio is {state}", seconds)

    def await_metric(self, name, number, seconds=20):
        self.world.until(lambda: self.metrics()[name] >= number, f"{name} is {number}", seconds)
        return self.metrics()[name]


class Agent(GatewayCaller, Program):
    """When the constructor returns, the agent replies; it may not scan yet. Without a `filter` it receives every report, so
    that reports can be counted. `more` is added to the gateway's table,
    `item` to the item's; `before` is the command that starts it."""

    def __init__(self, world, radio="hci0", access="shared", board="virtual", more="", item="", manifest=None,
                 before=(), user=None, wait=True, filter="off"):
        self.home = world.folder / f"agent-{time.monotonic_ns()}"
        self.home.mkdir()
        (self.home / "board").mkdir()
        for profile in pathlib.Path("/lab/Board").glob("*.toml"):
            shutil.copy(profile, self.home / "board")
        (self.home / "board" / "lab.toml").write_text(LAB_BOARD)
        path = self.home / "accessoryd.toml"
        path.write_text(manifest or MANIFEST.format(
            radio=radio, access=access, filter=filter, board=board, more=more) + item)
        path.chmod(0o644)
        self.socket_path = str(self.home / "socket")
        command = [*before, "/lab/bin/accessoryd", "--manifest", path, "--socket", self.socket_path,
                 "--state", self.home / "state"]
        if user:
            shutil.chown(self.home, user, user)
        super().__init__(world, "accessoryd", command)
        if wait:
            self.await_socket()

    def await_socket(self):
        self.world.until(
            lambda: pathlib.Path(self.socket_path).exists() or not self.is_running, "the agent's socket exists")
        if not self.is_running:
            raise ScenarioError(f"the agent ended: {self.log_text(5)}")
        self.world.equal(self.profile, "accessoryd-lab (enforce)", "the agent's AppArmor profile")

    @property
    def profile(self):
        """The AppArmor profile of the agent, which is a child of the program that traces it."""
        children = pathlib.Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()
        return pathlib.Path(f"/proc/{children[0] if children else self.pid}/attr/current").read_text().strip()

    def start_again(self):
        """Starts the killed agent again with the same command and state."""
        pathlib.Path(self.socket_path).unlink(missing_ok=True)
        self.start()
        self.await_socket()

    @property
    def recovery_request(self):
        """The file with which the agent requests the board's own step."""
        return self.home / "recovery-request"

    def tool(self, *arguments, with_errors=False):
        """Runs accessoryctl as an operator does, and returns its output."""
        done = subprocess.run(
            ["/lab/bin/accessoryctl", *arguments, "--socket", self.socket_path], capture_output=True, text=True)
        return done.stdout + done.stderr if with_errors else done.stdout


class Client:
    """A connection to the agent's socket."""

    def __init__(self, path, user=0):
        self.rest = b""
        # The descriptors that came beside replies.
        self.descriptors = []
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(30)
        # The kernel reports this account to the agent.
        os.seteuid(user)
        try:
            self.socket.connect(path)
        finally:
            os.seteuid(0)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def send(self, method, more=False, **parameters):
        """Calls a method of the gateway, or a method with the name of its interface."""
        name = method if "." in method else "io.accessoryd.Gateway." + method
        call = {"method": name, "parameters": parameters, "more": more}
        self.socket.sendall(json.dumps(call).encode() + b"\0")

    def receive(self):
        while b"\0" not in self.rest:
            self._read()
        return self._take()

    def poll(self, seconds=0):
        """The next reply, or None if none comes in this time."""
        end = time.monotonic() + seconds
        while b"\0" not in self.rest:
            if not select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
                return None
            self._read()
        return self._take()

    def _read(self):
        data, descriptors, _, _ = socket.recv_fds(self.socket, 1 << 16, 1)
        self.descriptors += descriptors
        if not data:
            raise ScenarioError("the agent has hung up")
        self.rest += data

    def _take(self):
        reply, self.rest = self.rest.split(b"\0", 1)
        reply = json.loads(reply)
        if "error" in reply:
            raise Refusal(reply)
        return reply["parameters"]

    def call(self, method, **parameters):
        self.send(method, **parameters)
        return self.receive()
