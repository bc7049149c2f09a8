# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which discovers for a client: the agent keeps its full rate."""

import steps
import traffic

# Long enough for two changes of bluetoothd's scan, at a rate that btmon can follow.
RATE, SECONDS = 250, 25


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    daemon = lab.bluetoothd()
    agent = steps.start_scanning(lab, controller, "shared")
    enables = controller.count()["scanEnables"]
    client = daemon.discover(lab)
    lab.until(lambda: controller.count()["scanEnables"] > enables, "bluetoothd's scan begins")
    before = controller.count()
    count, read, dropped = steps.send_load(lab, controller, agent, RATE, SECONDS)
    steps.check_counts(lab, count, read, dropped)
    after = controller.count()
    lab.figure("switches", steps.difference(after, before, "scanEnables"))
    # Events that fall due while the kernel changes from one scan to the other are withheld.
    withheld = steps.difference(after, before, "withheld")
    lab.check(withheld <= RATE / 2, f"{withheld} of {SECONDS * RATE} fell into changes of the scan")
    client.end()
    agent.await_state("on")
    controller.await_scan()
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    recorded.check()
