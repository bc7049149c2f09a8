# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that the kernel itself has for controllers, as it says when it is traced."""

import pathlib
import re
import subprocess

from errors import Failure

TRACING = pathlib.Path("/sys/kernel/tracing")
GROUP = "lab"
# Every command of the kernel's own goes through this one; what a program sends on a raw channel does not.
# Linux, net/bluetooth/hci_sync.c: __hci_cmd_sync_sk(hdev, opcode, …).
PROBE = f"p:{GROUP}/command __hci_cmd_sync_sk opcode=$arg2:u16"
ROW = re.compile(r"\bcommand: .*opcode=(\d+)")


class KernelCommands:
    """Notes them from when it is made, of all adapters."""

    def __init__(self):
        if not (TRACING / "kprobe_events").exists():
            subprocess.run(["mount", "-t", "tracefs", "tracing", TRACING], check=True)
        event = TRACING / "events" / GROUP / "command"
        # A scenario before may have left it.
        if not event.exists():
            (TRACING / "kprobe_events").write_text(PROBE)
        (TRACING / "trace").write_text("")
        (event / "enable").write_text("1")

    def opcodes(self):
        text = (TRACING / "trace").read_text()
        # As many rows as were written, or some were lost.
        said = re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", text)
        if not said or said[1] != said[2]:
            raise Failure(f"the kernel's trace is not whole: {text[:300]}")
        return [int(row[1]) for row in map(ROW.search, text.splitlines()) if row]
