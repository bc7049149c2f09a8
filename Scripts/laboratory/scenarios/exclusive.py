# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclusive: the agent takes the adapter down, owns it, and leaves it as it was."""

import steps
import hci


def scenario(lab):
    controller = lab.controller()
    index = controller.index
    mgmt = hci.Mgmt()
    lab.equal(mgmt.power(index), 0, "the status of powering the adapter")
    flags = hci.flags(index)
    agent = steps.start_scanning(lab, controller, "exclusive")
    try:
        hci.open_channel(index, hci.CHANNEL_USER)
        lab.check(False, "another program can open the user channel")
    except OSError:
        pass
    lab.check(mgmt.settings(index) is None, "the adapter is gone from the management interface")
    count, read, dropped = steps.send_load(lab, controller, agent, 500, 5)
    steps.check_counts(lab, count, read, dropped)
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.until(lambda: hci.flags(index) == flags, f"the flags are as before: {flags:#x}, {hci.flags(index):#x}", 5)
    lab.figure("flags", f"{flags:#x}")
    lab.check(not controller.count()["scanning"], "it scans no more")
