# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared: a controller that goes silent is noticed, and each remedy is reached and able to cure."""

import ladder

PATIENCE = 300
# What ends each: a scan that begins anew, so many resets, or nothing but the loss of its power.
FAULTS = {
    "restartScan": {"kind": "ignoring", "opcode": "0x1001", "scans": 1},
    "reset": {"kind": "silent", "resets": 1},
    "takeDownAndUp": {"kind": "silent", "resets": 2},
    "powerCycle": {"kind": "silent", "resets": 3},
    "boardStep": {"kind": "silent"},
}


def scenario(lab):
    ladder.climb(lab, "shared", FAULTS)
