# SPDX-License-Identifier: GPL-3.0-or-later
"""Exclusive: an adapter that was down is down again afterwards."""

import feats
import hci


def scenario(lab):
    controller = lab.controller()
    index = controller.index
    lab.until(lambda: hci.flags(index) == 0, "the kernel takes an adapter down that nobody uses", 10)
    flags = hci.flags(index)
    agent = feats.scanning(lab, controller, "exclusive")
    lab.equal(agent.end(), 0, "the agent's exit status")
    lab.until(lambda: hci.flags(index) == flags, f"the flags are as before: {flags:#x}, {hci.flags(index):#x}", 5)
    lab.figure("flags", f"{flags:#x}")
