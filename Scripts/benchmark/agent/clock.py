# SPDX-License-Identifier: GPL-3.0-or-later
"""The time of an agent that callgrind runs, as it is said here (clock.c): the same in every run, whatever else the machine
does."""

import pathlib
import random
import socket
import subprocess
import tempfile

PATIENCE = 120
# Later than any agent begins to scan, in seconds since its start.
BEGINNING = 600
MICROSECONDS = 1_000_000


class Clock:
    """Says the time to the agent that is started with its `variables` and its `descriptor`, from `begin` on."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        library = pathlib.Path(self.folder.name) / "clock.so"
        source = pathlib.Path(__file__).with_name("clock.c")
        subprocess.run(["cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o", library, source], check=True)
        self.socket, self.agents = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.settimeout(PATIENCE)
        self.descriptor = self.agents.fileno()
        self.variables = {"LD_PRELOAD": str(library), "BENCHMARK_CLOCK": str(self.descriptor)}
        self.chance = random.Random(1)
        self.controller = None
        # Microseconds since the agent's start, and when the timer of the agent, which waits, ends.
        self.now, self.timer_end = BEGINNING * MICROSECONDS, None

    def close(self):
        """Ends an agent that waits."""
        self.socket.close()
        self.folder.cleanup()

    def begin(self, controller, packets):
        """Takes the clock over, and wakes the agent by the packets. Nothing may be under way in the agent's threads."""
        self.controller = controller
        self._say(self.now)
        for packet in packets:
            controller.send(packet)
        self._await()

    def play(self, rate, packets, seconds):
        """Sends packets, each up to a fifth of a period early or late. Returns when all this time has passed."""
        begin = self.now
        for index, packet in zip(range(rate * seconds), packets):
            due = begin + round((index + 0.5 + self.chance.uniform(-0.2, 0.2)) * MICROSECONDS / rate)
            self._pass(due)
            self.controller.send(packet)
            self._turn(due)
        self.now = begin + seconds * MICROSECONDS
        self._pass(self.now)

    def _pass(self, end):
        """Lets the agent turn whenever its timer ends until then."""
        while 0 <= self.timer_end <= end:
            self._turn(self.timer_end)

    def _turn(self, time):
        self._say(time)
        self._await()

    def _say(self, time):
        self.socket.send(time.to_bytes(8, "little"))

    def _await(self):
        self.timer_end = int.from_bytes(self.socket.recv(8), "little", signed=True)
