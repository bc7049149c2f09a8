# SPDX-License-Identifier: GPL-3.0-or-later
"""Shared with bluetoothd, which does nothing."""

import feats
import traffic


def scenario(lab):
    monitor = lab.monitor()
    controller = lab.controller()
    daemon = lab.bluetoothd()
    agent = feats.scanning(lab, controller, "shared")
    before = daemon.usage()
    count, read, dropped = feats.carry_load(lab, controller, agent, 500, 10)
    feats.hold_exact(lab, count, read, dropped)
    lab.figure("bluetoothd s per million", round((daemon.usage().seconds - before.seconds) * 1e6 / count, 1))
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.equal(traffic.own_scan_commands(lab, monitor), 0, "scan commands of the agent")
