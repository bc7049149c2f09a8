# SPDX-License-Identifier: GPL-3.0-or-later
"""What a scenario works with: a controller, the agent, other programs, and figures."""

import pathlib
import tempfile
import time

from agent import Agent
from bluetoothd import Bluetoothd
from controller import Controller
from errors import Failure
from monitor import Monitor
from system import System

__all__ = ["Failure", "Lab"]


class Lab:
    """The world of one scenario: a folder for what it leaves, and programs that end with it."""

    def __init__(self, results):
        self.results = results
        # In memory; sockets have short names.
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="lab-"))
        self.folder.chmod(0o755)
        self.figures = {}
        self.open = []
        self.logs = []

    def _keep(self, program):
        self.open.append(program)
        self.logs.append(program)
        return program

    def controller(self, scene="", **settings):
        """An adapter of the kernel's; it is there when this returns."""
        return self._keep(Controller(self, scene, **settings))

    def agent(self, **settings):
        return self._keep(Agent(self, **settings))

    def bluetoothd(self, **settings):
        return self._keep(Bluetoothd(self, **settings))

    def system(self):
        """systemd with the units installed."""
        return self._keep(System(self))

    def monitor(self):
        """Records what all adapters and their users say from now on."""
        return self._keep(Monitor(self))

    def figure(self, name, value):
        self.figures[name] = value

    def check(self, condition, sentence):
        if not condition:
            raise Failure(sentence)

    def equal(self, left, right, what):
        self.check(left == right, f"{what}: {left!r} is not {right!r}")

    def until(self, condition, what, seconds=20, step=0.05):
        """Waits until it holds; answers what it says."""
        end = time.monotonic() + seconds
        while not (value := condition()):
            if time.monotonic() > end:
                raise Failure(f"not in {seconds} s: {what}")
            time.sleep(step)
        return value

    def last_words(self):
        """The ends of the programs' logs."""
        words = {program.name: program.said(15) for program in self.logs}
        return "".join(f"\n-- {name}\n{said}" for name, said in words.items() if said)

    def end(self):
        for program in reversed(self.open):
            program.end()
