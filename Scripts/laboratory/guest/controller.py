# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller at /dev/vhci, and its orders (Scripts/laboratory/LaboratoryRadio/Order.swift)."""

import json
import pathlib
import socket
import time

from errors import ScenarioError
from program import Program

EMPTY = """schema = 1
seed = 1
[controller]
address = "{address}"
version = "{version}"
extended-advertising = {extended}
coded-phy = {extended}
"""


def flag(value):
    return "true" if value else "false"


class Controller(Program):
    """`scene` is a file or a scene's text; without one, only a load sends reports."""

    def __init__(self, world, scene="", extended=True, address="00:E0:4C:00:00:01"):
        if not scene:
            scene = EMPTY.format(address=address, version="5.2" if extended else "4.2", extended=flag(extended))
        if "\n" in scene:
            path = world.folder / f"scene-{time.monotonic_ns()}.toml"
            path.write_text(scene)
            scene = path
        self.control = world.folder / f"control-{time.monotonic_ns()}"
        super().__init__(world, "controller", ["vhci-scene", scene, "--control", self.control])
        world.until(lambda: self.control.exists() or not self.is_running, "the controller's program runs")
        if not self.is_running:
            raise ScenarioError(f"the controller's program ended: {self.log_text(5)}")
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(20)
        self.socket.connect(str(self.control))
        self.reader = self.socket.makefile("r")
        self.settle()

    def settle(self):
        """Waits until the kernel has initialized the adapter."""
        self.world.until(lambda: self.count()["commands"] > 8, "the kernel sends commands to the adapter")
        self.world.until(lambda: self._is_idle(), "the kernel sends no more commands")

    def _is_idle(self):
        before = self.count()["commands"]
        time.sleep(0.25)
        return self.count()["commands"] == before

    def order(self, verb, **values):
        line = " ".join([verb] + [f"{key}={value}" for key, value in values.items()])
        self.socket.sendall((line + "\n").encode())
        answer = json.loads(self.reader.readline() or "{}")
        if "error" in answer or not answer:
            raise ScenarioError(f"the controller refuses {line!r}: {answer}")
        return answer

    def count(self):
        return self.order("count")

    @property
    def index(self):
        return self.count()["index"]

    @property
    def name_of_adapter(self):
        return f"hci{self.index}"

    def load(self, rate, seconds, kind="legacy", addresses=300, targets=10):
        """Starts a load of `rate` report events a second, from devices of which `targets` in a hundred are wanted."""
        return self.order("load", rate=rate, count=rate * seconds, kind=kind, addresses=addresses, targets=targets)

    def flood(self, count, kind="legacy", addresses=300, targets=10):
        return self.order("load", rate="flat-out", count=count, kind=kind, addresses=addresses, targets=targets)

    def await_load(self, seconds):
        return self.world.until(
            lambda: (count := self.count()) and not count["loading"] and count, "the load is written", seconds, 0.1)

    def await_scan(self, wanted=True, seconds=20):
        return self.world.until(
            lambda: (count := self.count())["scanning"] == wanted and count,
            "it scans" if wanted else "it does not scan", seconds)

    def fault(self, kind, **values):
        return self.order("fault", kind=kind, **values)

    def clear_fault(self):
        return self.order("clear")

    def hardware_error(self, code=0x42):
        return self.order("emit", bytes=f"041001{code:02x}")

    def unplug(self):
        return self.order("unplug")

    def plug(self):
        answer = self.order("plug")
        return answer

    def replay(self, path):
        return self.order("replay", path=path)

    def end(self, patience=10):
        self.socket.close()
        return super().end(patience)
