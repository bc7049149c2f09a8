# SPDX-License-Identifier: GPL-3.0-or-later
"""Who said what, by btmon's recording."""

import struct

from monitor import COMMAND, CONTROL_COMMAND, EVENT, SCAN_COMMANDS

# So long after something asked the kernel to change its scan its commands may come.
CAUSE_MICROSECONDS = 2_000_000


def own_scan_commands(lab, monitor):
    """Scan commands that nothing in the kernel has a reason for: what a program has sent itself.

    The recording does not tell who sent a command. The kernel sends scan commands when a management command or event,
    the end of a discovery, or its own bring-up wants them: each follows such a thing closely. One that follows nothing
    has been sent by a program on the raw channel.
    """
    strays, cause = 0, 0
    for record in monitor.records():
        if record.opcode == COMMAND:
            opcode = struct.unpack_from("<H", record.data)[0]
            if opcode not in SCAN_COMMANDS:
                cause = record.microseconds
            elif record.microseconds - cause > CAUSE_MICROSECONDS:
                strays += 1
            else:
                cause = record.microseconds
        elif record.opcode == CONTROL_COMMAND or record.opcode > 3 and record.opcode != EVENT:
            cause = record.microseconds
    return strays
