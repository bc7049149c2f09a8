# SPDX-License-Identifier: GPL-3.0-or-later
"""1,000 reports a second for 30 s, shared: every one is read."""

import feats

PATIENCE = 240


def scenario(lab):
    controller = lab.controller()
    agent = feats.scanning(lab, controller, "shared")
    count, read, dropped = feats.carry_load(lab, controller, agent, 1000, 30)
    feats.hold_exact(lab, count, read, dropped)
    lab.check(count > 29000, f"the load was written: {count}")
