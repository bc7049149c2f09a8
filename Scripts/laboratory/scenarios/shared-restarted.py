# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which is restarted and killed: the monitor is added again, and the agent scans on."""

import time

import steps
import hci
import traffic


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    daemon = lab.bluetoothd()
    mgmt = hci.Mgmt()
    index = controller.index
    agent = steps.start_scanning(lab, controller, "shared")
    longest = 0
    for kill in (False, True):
        if kill:
            daemon.kill()
        else:
            daemon.end()
        start = time.monotonic()
        daemon = lab.bluetoothd()
        lab.until(lambda: mgmt.monitors(index), "the monitor is added again", 10)
        controller.await_scan()
        agent.await_state("on")
        longest = max(longest, time.monotonic() - start)
        before = agent.metrics()
        count, read, dropped = steps.send_load(lab, controller, agent, 200, 3, label="killed: " if kill else "")
        steps.check_counts(lab, count, read, dropped)
        lab.check(read > 0, "reports are read again")
    lab.figure("bluetoothd's start and scan s", longest)
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    recorded.check()
