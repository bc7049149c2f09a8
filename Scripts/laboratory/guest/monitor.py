# SPDX-License-Identifier: GPL-3.0-or-later
"""btmon's recording: every packet of every adapter, and the opened channels."""

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
# The default receive buffer of a socket.
RECEIVE_BUFFER = pathlib.Path("/proc/sys/net/core/rmem_default")
RECEIVE_BUFFER_BYTES = 1 << 25


class Record(NamedTuple):
    microseconds: int
    adapter: int
    opcode: int
    data: bytes


class Monitor(Program):
    """Starts btmon with a large receive buffer: btmon sets none itself, and would lose packets in a load."""

    def __init__(self, world):
        # In memory, because the shared folder is too slow for a write per packet.
        self.capture = world.folder / f"btmon-{monotonic_ns()}.btsnoop"
        before = RECEIVE_BUFFER.read_text()
        RECEIVE_BUFFER.write_text(str(RECEIVE_BUFFER_BYTES))
        super().__init__(world, "btmon", ["btmon", "-w", self.capture], quiet=True)
        world.until(lambda: self.capture.exists() and self.capture.stat().st_size >= 16, "btmon records")
        # Its socket is open when the first record is written.
        world.until(lambda: any(True for _ in self.records()), "btmon receives")
        RECEIVE_BUFFER.write_text(before)

    def records(self):
        data = self.capture.read_bytes()
        offset = 16
        while offset + 24 <= len(data):
            _, length, flags, _, time = struct.unpack_from(">IIIIq", data, offset)
            if offset + 24 + length > len(data):
                return
            yield Record(time, flags >> 16, flags & 0xFFFF, data[offset + 24:offset + 24 + length])
            offset += 24 + length

    def end(self, patience=PATIENCE):
        code = super().end(patience)
        shutil.copy(self.capture, self.world.results / "btmon.btsnoop")
        return code

    def commands(self):
        """HCI commands by opcode."""
        commands = (record for record in self.records() if record.opcode == COMMAND)
        return Counter(struct.unpack_from("<H", record.data)[0] for record in commands)

    def scan_commands(self):
        return sum(count for opcode, count in self.commands().items() if opcode in SCAN_COMMANDS)
