# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which is idle."""

import steps
import traffic


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    daemon = lab.bluetoothd()
    agent = steps.start_scanning(lab, controller, "shared")
    before = daemon.usage()
    count, read, dropped = steps.send_load(lab, controller, agent, 500, 5)
    steps.check_counts(lab, count, read, dropped)
    lab.figure("bluetoothd s per million", round((daemon.usage().seconds - before.seconds) * 1e6 / count, 1))
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    recorded.check()
