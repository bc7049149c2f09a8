# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent, readers in C, and bluetoothd with a client cost under the same loads, counted in instructions."""

import costs

WHEN = "release"
PATIENCE = 900
# Bluetoothd and a client take at least this many times the instructions of the agent in exclusive mode.
LEAST_RATIO = 300


def scenario(lab):
    kinds = (*costs.READERS, "exclusive", "shared", "C client", "bleak")
    found = costs.compare(lab, kinds, "instructions")
    for rate in costs.PART_SECONDS:
        ratio = found["C client"][rate][0] / found["exclusive"][rate][0]
        lab.check(ratio >= LEAST_RATIO, f"at {rate}/s bluetoothd with a C client costs {ratio:.0f} times the agent")
