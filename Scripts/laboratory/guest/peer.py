# SPDX-License-Identifier: GPL-3.0-or-later
"""An accessory that can be paired, played by guest/bumble-peer.py, and the adapter of the kernel near it."""

import re
import subprocess
import time

import hci
from program import PythonProgram

IDENTITY, PUBLIC = "C4:A1:00:00:1E:27", "00:E0:4C:00:00:99"
IDENTITY_KEY = bytes.fromhex("ec0234a357c8ad05341010a60a397d9b")
# A UUID's bytes, last one first.
OPEN, SECRET = b"\x11\xff", b"\x12\xff"


class Peer(PythonProgram):
    """When the constructor returns, the accessory advertises and the adapter exists."""

    input = subprocess.PIPE

    def __init__(self, world, *settings):
        self.read_count, self.rows, self.taken = 0, [], 0
        super().__init__(world, "bumble-peer", ["bumble-peer.py", *settings])
        # The emulated processor takes long to load bumble.
        world.until(
            lambda: self.find(" ready") and self.find(" adapter hci") or not self.is_running, "bumble advertises", 120)
        world.check(self.is_running, f"bumble runs: {self.log_text(5)}")

    # What it says: lines of the time by the monotonic clock, and words.

    def lines(self):
        """All lines. Those of earlier calls are kept: to read them again and again would cost more than what they are about."""
        with open(self.path, "rb") as log:
            log.seek(self.taken)
            *complete, _ = log.read().split(b"\n")
        for line in complete:
            self.taken += len(line) + 1
            at, _, words = line.decode(errors="replace").partition(" ")
            if re.fullmatch(r"\d+\.\d+", at):
                self.rows.append((float(at), words))
        return self.rows

    def last(self, *begins):
        """The last line that begins with one of these words; None without one."""
        return next((words for _, words in reversed(self.lines()) if words.startswith(begins)), None)

    def find(self, words):
        """The lines with these words."""
        return [line for line in self.log_text().splitlines() if words in line]

    def expect(self, words, seconds=30):
        """Waits until it has said these words since the last call, and returns the whole line without its time."""
        def search():
            rows = self.lines()
            for number in range(self.read_count, len(rows)):
                if rows[number][1].startswith(words):
                    self.read_count = number + 1
                    return rows[number][1]
            return None
        return self.world.until(search, f"the accessory says: {words}", seconds)

    def skip(self):
        """What it has said so far is not expected any more."""
        self.read_count = len(self.lines())

    def order(self, text):
        """Gives an order, and waits until it is carried out."""
        self.skip()
        self.process.stdin.write(f"{text}\n".encode())
        self.process.stdin.flush()
        before = self.read_count
        self.expect(f"done {text}")
        # What it said meanwhile can still be expected.
        self.read_count = before

    def reports(self, agent):
        """How many reports the kernel got of the present adapter, and how many the agent has read: as nothing is heard
        meanwhile, both count the same ones."""
        self.order("hush on")
        self.order("count")
        written, read = int(self.expect("reports").split()[1]), None

        def is_settled():
            nonlocal read
            before, read = read, agent.metrics()["reports_total"]
            return read == before
        self.world.until(is_settled, "the agent has read all reports", step=0.1)
        self.order("hush off")
        return written, int(read)

    @property
    def index(self):
        return int(self.last("adapter hci").removeprefix("adapter hci"))

    @property
    def address(self):
        """The address with which it advertises now."""
        return self.address_of()

    def address_of(self, who=""):
        """The same of the accessory whose lines begin with `who`."""
        begin = f"{who}advertises "
        return self.last(begin).removeprefix(begin)

    def await_adapter(self):
        """Waits until the kernel has the adapter, and switches it on. Not with an ioctl: the kernel pairs only through an
        adapter that its management interface knew when it was switched on."""
        self.world.until(lambda: hci.Mgmt().settings(self.index) is not None, "the adapter exists")
        # The kernel is busy while the agent switches it on as well.
        self.world.until(lambda: self.switch_on() != hci.Mgmt.BUSY, "the adapter can be switched on")

    def switch_on(self):
        status = hci.Mgmt().power(self.index)
        self.world.check(status in (0, hci.Mgmt.BUSY), f"switching the adapter on has the status {status}")
        return status

    # How long the adapter was deaf

    def pauses(self, start, end):
        """The times in which the adapter did not scan, as pairs of seconds."""
        pauses, off = [], None
        for at, words in [*self.lines(), (end, "scan on")]:
            if words.startswith("scan off") and off is None:
                off = at
            elif words.startswith("scan on") and off is not None:
                if at > start and off < end:
                    pauses.append((max(off, start), min(at, end)))
                off = None
        return pauses

    def deaf(self, start, end=None):
        """For how many seconds the adapter did not scan, all in all."""
        return sum(on - off for off, on in self.pauses(start, end or time.monotonic()))

    def is_deaf(self):
        """Whether the adapter does not scan now."""
        return (self.last("scan ") or "scan off").startswith("scan off")
