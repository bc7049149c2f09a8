# SPDX-License-Identifier: GPL-3.0-or-later
"""Who sent which scan commands: what btmon recorded, held against what the kernel says that it has sent itself."""

import struct
import time
from collections import Counter

import hci
from kernel import KernelCommands
from monitor import SCAN_COMMANDS

SCAN_ENABLE = 0x2042
# So many of a scenario's own show that those of a program are seen.
CANARIES = 5


class Traffic:
    """Noted from when it is made, of all adapters; the kernel's must be on, and nobody else's."""

    def __init__(self, lab):
        self.lab = lab
        self.kernel = KernelCommands()
        self.monitor = lab.monitor()
        self.canaries = Counter()

    def programs(self):
        """Scan commands that the kernel has not sent itself, by opcode."""
        own, sent = Counter(self.kernel.opcodes()), self.monitor.commands()
        return {opcode: sent[opcode] - own[opcode] for opcode in SCAN_COMMANDS if sent[opcode] != own[opcode]}

    def show_canary(self, controller):
        """A program sends some beside the agent: as many are seen."""
        raw = hci.RawReader(controller.index)
        for _ in range(CANARIES):
            # LE Set Extended Scan Enable: on, as it is.
            raw.command(SCAN_ENABLE, struct.pack("<BBHH", 1, 0, 0, 0))
        raw.close()
        self.canaries[SCAN_ENABLE] += CANARIES
        self.hold()

    def hold(self):
        """No other program has sent any."""
        self.lab.until(self.rests, "all of it is recorded", 120)
        sent, recorded = self.programs(), self.monitor.scan_commands()
        scenario = sum(self.canaries.values())
        self.lab.figure("scan commands recorded", recorded)
        self.lab.figure("of the scenario", scenario)
        self.lab.figure("of the agent", sum(sent.values()) - scenario)
        self.lab.equal(sent, self.canaries, "scan commands of programs, by opcode")
        self.lab.check(recorded > scenario, "the kernel scans")

    def rests(self):
        """btmon may be far behind the load."""
        before = self.monitor.capture.stat().st_size
        time.sleep(0.5)
        return self.monitor.capture.stat().st_size == before
