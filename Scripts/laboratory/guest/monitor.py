# SPDX-License-Identifier: GPL-3.0-or-later
"""What btmon records: every packet of every adapter, and who opened which channel."""

import pathlib
import shutil
import struct
from collections import Counter
from time import monotonic_ns
from typing import NamedTuple

from program import PATIENCE, Program

# Opcodes of the monitor (BlueZ, src/shared/btsnoop.h).
COMMAND, EVENT, CONTROL_COMMAND = 2, 3, 16
SCAN_COMMANDS = {0x200B: "parameters", 0x200C: "enable", 0x2041: "extended parameters", 0x2042: "extended enable"}
# What a socket holds that does not ask for more.
ROOM = pathlib.Path("/proc/sys/net/core/rmem_default")
ROOM_BYTES = 1 << 25


class Record(NamedTuple):
    microseconds: int
    adapter: int
    opcode: int
    data: bytes


class Monitor(Program):
    """Records all of it: btmon itself asks for no room, and would lose what comes in a load."""

    def __init__(self, world):
        # In memory: the shared folder takes too long for a packet each.
        self.capture = world.folder / f"btmon-{monotonic_ns()}.btsnoop"
        before = ROOM.read_text()
        ROOM.write_text(str(ROOM_BYTES))
        super().__init__(world, "btmon", ["btmon", "-w", self.capture], quiet=True)
        world.until(lambda: self.capture.exists() and self.capture.stat().st_size >= 16, "btmon records")
        # Its socket is there when its first words are.
        world.until(lambda: any(True for _ in self.records()), "btmon hears")
        ROOM.write_text(before)

    def records(self):
        data = self.capture.read_bytes()
        place = 16
        while place + 24 <= len(data):
            _, length, flags, _, time = struct.unpack_from(">IIIIq", data, place)
            if place + 24 + length > len(data):
                return
            yield Record(time, flags >> 16, flags & 0xFFFF, data[place + 24:place + 24 + length])
            place += 24 + length

    def end(self, patience=PATIENCE):
        code = super().end(patience)
        shutil.copy(self.capture, self.world.results / "btmon.btsnoop")
        return code

    def commands(self):
        """HCI commands by opcode."""
        return Counter(struct.unpack_from("<H", record.data)[0] for record in self.records() if record.opcode == COMMAND)

    def scan_commands(self):
        return sum(count for opcode, count in self.commands().items() if opcode in SCAN_COMMANDS)
