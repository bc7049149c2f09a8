# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared, and nobody else is there: the kernel scans for the agent, which takes its monitor away when it ends."""

import feats
import hci
import traffic


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    index = controller.index
    management = hci.Management()
    agent = feats.scanning(lab, controller, "shared")
    lab.equal(len(management.monitors(index)), 1, "advertisement monitors")
    count, read, dropped = feats.carry_load(lab, controller, agent, 500, 5)
    feats.hold_exact(lab, count, read, dropped)
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.equal(management.monitors(index), [], "monitors that the agent left")
    controller.await_scan(False)
    recorded.hold()
