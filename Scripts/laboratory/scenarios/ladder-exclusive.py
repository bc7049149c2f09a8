# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclusive: a controller that goes silent is noticed, and each remedy is reached and able to cure."""

import ladder

PATIENCE = 300
# What ends each: a scan that begins anew, so many resets, or nothing but the loss of its power.
FAULTS = {
    "restartScan": {"kind": "ignoring", "opcode": "0x1001", "scans": 1},
    "reset": {"kind": "silent", "resets": 1},
    "takeDownAndUp": {"kind": "silent", "resets": 2},
    # Taking the adapter up resets it, and the agent does so again.
    "powerCycle": {"kind": "silent", "resets": 4},
    "boardStep": {"kind": "silent"},
}


def scenario(lab):
    ladder.climb(lab, "exclusive", FAULTS)
