# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which discovers for a client: the agent keeps its full rate."""

import feats
import traffic


def scenario(lab):
    monitor = lab.monitor()
    controller = lab.controller()
    daemon = lab.bluetoothd()
    agent = feats.scanning(lab, controller, "shared")
    enables = controller.count()["scanEnables"]
    client = daemon.discover(lab)
    lab.until(lambda: controller.count()["scanEnables"] > enables, "bluetoothd's scan begins")
    before = controller.count()
    count, read, dropped = feats.carry_load(lab, controller, agent, 500, 25)
    feats.hold_exact(lab, count, read, dropped)
    after = controller.count()
    lab.figure("switches", feats.difference(after, before, "scanEnables"))
    # What fell due while the kernel changed from one scan to the other was on the air for nobody.
    withheld = feats.difference(after, before, "withheld")
    lab.check(withheld <= 250, f"{withheld} of {25 * 500} fell into changes of the scan")
    client.end()
    agent.await_state("on")
    controller.await_scan()
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.equal(traffic.own_scan_commands(lab, monitor), 0, "scan commands of the agent")
