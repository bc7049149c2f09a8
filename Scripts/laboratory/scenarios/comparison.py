# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent, a reader in C, and bluetoothd with a client cost under the same load, counted in instructions."""

import costs

WHEN = "release"
PATIENCE = 600
# Bluetoothd and a client take at least this many times the instructions of the agent in exclusive mode.
LEAST_RATIO = 70


def scenario(lab):
    ratios = costs.compare(lab, ("exclusive", "shared", "C reader", "C client", "bleak"), "instructions")
    ratio = ratios["exclusive", "C client"]
    lab.check(ratio >= LEAST_RATIO, f"bluetoothd with a C client costs {ratio:.0f} times the agent")
