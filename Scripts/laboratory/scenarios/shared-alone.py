# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared, without another user: the kernel scans for the agent, which removes its monitor when it ends."""

import steps
import hci
import traffic


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    index = controller.index
    mgmt = hci.Mgmt()
    agent = steps.start_scanning(lab, controller, "shared")
    lab.equal(len(mgmt.monitors(index)), 1, "advertisement monitors")
    count, read, dropped = steps.send_load(lab, controller, agent, 500, 5)
    steps.check_counts(lab, count, read, dropped)
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.equal(mgmt.monitors(index), [], "monitors that the agent left")
    controller.await_scan(False)
    recorded.check()
