# SPDX-License-Identifier: GPL-3.0-or-later
"""What the agent, readers in C, and bluetoothd with a client cost under the same loads, by the clock."""

import costs

WHEN = "release"
PATIENCE = 900
CLOCK = "host"
# Lower than what is measured: the other work of the host counts, too, so that this only notices when something is very
# wrong.
LEAST_RATIO = 50


def scenario(lab):
    found = costs.compare(lab, (*costs.READERS, "exclusive", "C client"), "the clock")
    for rate in costs.PART_SECONDS:
        ratio = found["C client"][rate][0] / found["exclusive"][rate][0]
        lab.check(ratio >= LEAST_RATIO, f"at {rate}/s bluetoothd with a C client costs {ratio:.1f} times the agent")
