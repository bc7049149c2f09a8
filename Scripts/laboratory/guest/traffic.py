# SPDX-License-Identifier: GPL-3.0-or-later
"""The scan commands that programs sent: those that btmon recorded, without those that the kernel's trace has."""

import struct
import time
from collections import Counter

import hci
from kernel import KernelCommands
from monitor import SCAN_COMMANDS

SCAN_ENABLE = 0x2042
# How many commands a scenario sends itself, to show that the commands of programs are found.
CANARIES = 5


class Traffic:
    """Records the commands to all adapters, from its construction on. Only the kernel may send scan commands."""

    def __init__(self, lab):
        self.lab = lab
        self.kernel = KernelCommands()
        self.monitor = lab.monitor()
        self.canaries = Counter()

    def programs(self):
        """How many scan commands programs have sent, by opcode."""
        own, sent = Counter(self.kernel.opcodes()), self.monitor.commands()
        return {opcode: sent[opcode] - own[opcode] for opcode in SCAN_COMMANDS if sent[opcode] != own[opcode]}

    def show_canary(self, controller):
        """Sends scan commands beside the agent, and checks that they are found."""
        raw = hci.RawReader(controller.index)
        for _ in range(CANARIES):
            # LE Set Extended Scan Enable: on, as it already is.
            raw.command(SCAN_ENABLE, struct.pack("<BBHH", 1, 0, 0, 0))
        raw.close()
        self.canaries[SCAN_ENABLE] += CANARIES
        self.check()

    def check(self):
        """Checks that no program has sent scan commands, except the scenario itself."""
        self.lab.until(self.is_idle, "btmon has recorded everything", 120)
        sent, recorded = self.programs(), self.monitor.scan_commands()
        scenario = sum(self.canaries.values())
        self.lab.figure("scan commands recorded", recorded)
        self.lab.figure("of the scenario", scenario)
        self.lab.figure("of the agent", sum(sent.values()) - scenario)
        self.lab.equal(sent, self.canaries, "scan commands of programs, by opcode")
        self.lab.check(recorded > scenario, "the kernel scans")

    def is_idle(self):
        """Whether btmon, which may lag far behind the load, has stopped writing."""
        before = self.monitor.capture.stat().st_size
        time.sleep(0.5)
        return self.monitor.capture.stat().st_size == before
