# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent, a reader in C, and bluetoothd with a client cost under the same load, by the clock."""

import costs

WHEN = "release"
PATIENCE = 400
CLOCK = "host"
# Lower than by instructions: sleeping and waking take few instructions and much time. The other work of the host
# counts, too, so that this only notices when something is very wrong.
LEAST_RATIO = 5


def scenario(lab):
    ratios = costs.compare(lab, ("exclusive", "C reader", "C client"), "the clock")
    ratio = ratios["exclusive", "C client"]
    lab.check(ratio >= LEAST_RATIO, f"bluetoothd with a C client costs {ratio:.1f} times the agent")
