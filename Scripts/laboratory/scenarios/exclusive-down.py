# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclusive: an adapter that was down is down again afterwards, and its controller scans no more."""

import steps
import hci


def scenario(lab):
    controller = lab.controller()
    index = controller.index
    lab.until(lambda: hci.flags(index) == 0, "the kernel takes an unused adapter down", 10)
    flags = hci.flags(index)
    agent = steps.start_scanning(lab, controller, "exclusive")
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.until(lambda: hci.flags(index) == flags, f"the flags are as before: {flags:#x}, {hci.flags(index):#x}", 5)
    lab.figure("flags", f"{flags:#x}")
    # Nothing resets the controller, so the agent itself has ended the scan.
    lab.check(not controller.count()["scanning"], "it scans no more")
