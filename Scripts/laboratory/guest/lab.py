# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a scenario: a controller, the agent, other programs, and figures."""

import pathlib
import tempfile
import time

from agent import Agent
from bluetoothd import Bluetoothd
from controller import Controller
from denials import Denials
from errors import ScenarioError
from monitor import Monitor
from peer import Peer
from peripheral import Peripheral
from relay import BumbleDice, HostedDice
from system import System

__all__ = ["ScenarioError", "Lab"]


class Lab:
    """The world of one scenario: its folder, its figures, and the programs that end with it."""

    def __init__(self, results):
        self.results = results
        # In memory, and with a short name, because socket paths are limited.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lab-"))
        self.folder.chmod(0o755)
        self.figures = {}
        self.denials = Denials()
        self.open = []
        self.logs = []

    def _keep(self, program):
        self.open.append(program)
        self.logs.append(program)
        return program

    def controller(self, scene="", **settings):
        """Creates an adapter of the kernel and its controller."""
        return self._keep(Controller(self, scene, **settings))

    def peripheral(self, **settings):
        """Creates an adapter of the kernel, and an accessory near it that can be connected to."""
        peripheral = Peripheral(**settings)
        self.open.append(peripheral)
        return peripheral

    def bumble_dice(self):
        """Creates an adapter of the kernel, and near it dice that bumble plays."""
        return self._keep(BumbleDice(self))

    def peer(self, *settings):
        """Creates an adapter of the kernel, and near it an accessory that can be paired, which bumble plays."""
        return self._keep(Peer(self, *settings))

    def hosted_dice(self):
        """Creates two adapters; the second one is to be an accessory near the first one."""
        return HostedDice(self)

    def agent(self, **settings):
        return self._keep(Agent(self, **settings))

    def bluetoothd(self, **settings):
        return self._keep(Bluetoothd(self, **settings))

    def system(self, installed=True):
        """Starts systemd with the installed units, or without them."""
        return self._keep(System(self, installed))

    def monitor(self):
        """Starts to record the packets of all adapters."""
        return self._keep(Monitor(self))

    def figure(self, name, value):
        self.figures[name] = value

    def check(self, condition, sentence):
        if not condition:
            raise ScenarioError(sentence)

    def equal(self, left, right, what):
        self.check(left == right, f"{what}: {left!r} is not {right!r}")

    def until(self, condition, what, seconds=20, step=0.05):
        """Waits until the condition is true, and returns its value. It looks every `step` seconds; in a longer wait, whose
        looks would cost the host more than all else, less and less often, down to every half second."""
        begin = time.monotonic()
        while not (value := condition()):
            passed = time.monotonic() - begin
            if passed > seconds:
                raise ScenarioError(f"not in {seconds} s: {what}")
            time.sleep(max(step, min(passed / 30, 0.5)))
        return value

    def log_tails(self):
        """The ends of the programs' logs."""
        tails = {program.name: program.log_text(15) for program in self.logs}
        return "".join(f"\n-- {name}\n{tail}" for name, tail in tails.items() if tail)

    def end(self):
        for program in reversed(self.open):
            program.end()
