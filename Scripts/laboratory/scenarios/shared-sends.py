# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: what the agent itself sends to the controller, by its system calls: no scan command."""

import re

import feats

SENDS = ["strace", "-f", "-xx", "-s", "8", "-e", "trace=write,writev,sendto,sendmsg", "-o"]
# A command on the raw channel: an H4 indicator, then the opcode.
COMMAND = re.compile(r'^\d+ +(?:write|sendto)\(\d+, "\\x01\\x(..)\\x(..)\\x')


def scenario(lab):
    controller = lab.controller()
    lab.bluetoothd()
    trace = lab.results / "strace"
    agent = lab.agent(radio=controller.name_of_adapter, access="shared", before=[*SENDS, trace])
    agent.await_state("on", 30)
    controller.await_scan()
    # Nobody is heard: the controller is asked whether it is there.
    lab.until(lambda: agent.metrics()["radio_probes_total"] >= 1, "it asks", 60, 0.5)
    agent.await_state("on")
    agent.end()
    rows = [COMMAND.match(line) for line in trace.read_text().splitlines()]
    # The kernel's event counters are written a one, which begins as the command 0 would.
    opcodes = sorted({int(row[2] + row[1], 16) for row in rows if row} - {0})
    lab.figure("opcodes", " ".join(f"{opcode:#06x}" for opcode in opcodes))
    lab.check(opcodes, "the probe is among what it sends")
    scans = [opcode for opcode in opcodes if 0x200B <= opcode <= 0x200C or 0x2041 <= opcode <= 0x2042]
    lab.equal(scans, [], "scan commands")
