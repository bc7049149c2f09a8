# SPDX-License-Identifier: GPL-3.0-or-later
"""A silent controller is noticed, and each recovery action is reached and can end its fault, in both access modes."""

import recovery

PATIENCE = 400
SILENT = {"kind": "silent"}
# What ends each fault: a restarted scan, a number of resets, or only a power cut.
FAULTS = {
    "restartScan": {"kind": "ignoring", "opcode": "0x1001", "scans": 1},
    "reset": SILENT | {"resets": 1},
    "takeDownAndUp": SILENT | {"resets": 2},
    "powerCycle": SILENT | {"resets": 3},
    "boardStep": SILENT,
}
# The kernel resets an adapter when it takes it up, and the agent, which owns it, resets it again after that.
OWN_FAULTS = FAULTS | {"powerCycle": SILENT | {"resets": 4}}


def scenario(lab):
    recovery.check_all(lab, "exclusive", OWN_FAULTS)
    recovery.check_all(lab, "shared", FAULTS)
