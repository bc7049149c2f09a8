# SPDX-License-Identifier: GPL-3.0-or-later
"""The commands that the kernel itself sends to controllers, from its trace."""

import pathlib
import re
import subprocess

from errors import ScenarioError

TRACING = pathlib.Path("/sys/kernel/tracing")
GROUP = "lab"
# Every command of the kernel's own goes through this function; a program's command on a raw channel does not.
# Linux, net/bluetooth/hci_sync.c: __hci_cmd_sync_sk(hdev, opcode, …).
PROBE = f"p:{GROUP}/command __hci_cmd_sync_sk opcode=$arg2:u16"
ROW = re.compile(r"\bcommand: .*opcode=(\d+)")


class KernelCommands:
    """Records the commands to all adapters, from its construction on."""

    def __init__(self):
        if not (TRACING / "kprobe_events").exists():
            subprocess.run(["mount", "-t", "tracefs", "tracing", TRACING], check=True)
        event = TRACING / "events" / GROUP / "command"
        # A previous scenario may have left the probe.
        if not event.exists():
            (TRACING / "kprobe_events").write_text(PROBE)
        (TRACING / "trace").write_text("")
        (event / "enable").write_text("1")

    def opcodes(self):
        text = (TRACING / "trace").read_text()
        # The trace is complete when it holds as many rows as were written.
        counts = re.search(r"entries-in-buffer/entries-written: (\d+)/(\d+)", text)
        if not counts or counts[1] != counts[2]:
            raise ScenarioError(f"the kernel's trace is incomplete: {text[:300]}")
        return [int(row[1]) for row in map(ROW.search, text.splitlines()) if row]
