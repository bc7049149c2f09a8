# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: the agent itself sends no scan command to the controller, as its system calls show."""

import re

import steps

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
    # No report comes, so that the agent probes the controller.
    lab.until(lambda: agent.metrics()["radio_probes_total"] >= 1, "the agent probes", 60, 0.5)
    agent.await_state("on")
    agent.end()
    rows = [COMMAND.match(line) for line in trace.read_text().splitlines()]
    # Writing 1 to an eventfd looks like the command 0.
    opcodes = sorted({int(row[2] + row[1], 16) for row in rows if row} - {0})
    lab.figure("opcodes", " ".join(f"{opcode:#06x}" for opcode in opcodes))
    lab.check(opcodes, "the probe is among what it sends")
    scans = [opcode for opcode in opcodes if 0x200B <= opcode <= 0x200C or 0x2041 <= opcode <= 0x2042]
    lab.equal(scans, [], "scan commands")
