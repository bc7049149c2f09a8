# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which discovers for a client: the agent keeps its full rate."""

import feats
import traffic

# Two changes of bluetoothd's scan; as much as btmon can follow.
RATE, SECONDS = 250, 25


def scenario(lab):
    recorded = traffic.Traffic(lab)
    controller = lab.controller()
    daemon = lab.bluetoothd()
    agent = feats.scanning(lab, controller, "shared")
    enables = controller.count()["scanEnables"]
    client = daemon.discover(lab)
    lab.until(lambda: controller.count()["scanEnables"] > enables, "bluetoothd's scan begins")
    before = controller.count()
    count, read, dropped = feats.carry_load(lab, controller, agent, RATE, SECONDS)
    feats.hold_exact(lab, count, read, dropped)
    after = controller.count()
    lab.figure("switches", feats.difference(after, before, "scanEnables"))
    # What fell due while the kernel changed from one scan to the other was on the air for nobody.
    withheld = feats.difference(after, before, "withheld")
    lab.check(withheld <= RATE / 2, f"{withheld} of {SECONDS * RATE} fell into changes of the scan")
    client.end()
    agent.await_state("on")
    controller.await_scan()
    recorded.show_canary(controller)
    lab.equal(agent.end(), 0, "the agent's exit status")
    recorded.hold()
