# SPDX-License-Identifier: GPL-3.0-or-later
"""A controller that goes silent is noticed, and each remedy is reached and able to cure, in both manners."""

import ladder

PATIENCE = 400
SILENT = {"kind": "silent"}
# What ends each: a scan that begins anew, so many resets, or nothing but the loss of its power.
FAULTS = {
    "restartScan": {"kind": "ignoring", "opcode": "0x1001", "scans": 1},
    "reset": SILENT | {"resets": 1},
    "takeDownAndUp": SILENT | {"resets": 2},
    "powerCycle": SILENT | {"resets": 3},
    "boardStep": SILENT,
}
# Taking an adapter up resets it, and behind that the agent, which owns it, does so again.
OWN_FAULTS = FAULTS | {"powerCycle": SILENT | {"resets": 4}}


def scenario(lab):
    ladder.climb(lab, "exclusive", OWN_FAULTS)
    ladder.climb(lab, "shared", FAULTS)
