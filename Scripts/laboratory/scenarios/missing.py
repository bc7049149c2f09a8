# SPDX-License-Identifier: GPL-3.0-or-later
"""A missing adapter is a state of the radio; by its address the agent finds it under any index."""

import time

import steps
import hci

ADDRESS = "00:E0:4C:00:00:77"


def scenario(lab):
    other = lab.controller(address="00:E0:4C:00:00:01")
    for access in ("exclusive", "shared"):
        agent = lab.agent(radio=ADDRESS, access=access)
        lab.until(lambda: ADDRESS in agent.radio()["detail"], "the agent names the missing adapter")
        lab.equal(agent.radio()["state"], "absent", "the radio")
        # The time includes the kernel's initialization of the adapter.
        start = time.monotonic()
        controller = lab.controller(address=ADDRESS)
        agent.await_state("on")
        controller.await_scan()
        took = time.monotonic() - start
        lab.figure(f"{access} adapter made and scans after s", took)
        lab.check(took <= 3, f"it took {took:.1f} s to scan")
        # Another adapter gets the index that it had.
        before = controller.index
        controller.unplug()
        agent.await_state("absent")
        third = lab.controller(address="00:E0:4C:00:00:02")
        controller.plug()
        agent.await_state("on")
        controller.await_scan()
        lab.check((third.index, controller.index != before) == (before, True), "it came back under another index")
        lab.figure(f"{access} index", f"{before}, {controller.index}")
        count, read, dropped = steps.send_load(lab, controller, agent, 200, 2, label=f"{access} ")
        steps.check_counts(lab, count, read, dropped)
        steps.drop_figures(lab, access, keep=("after", "index"))
        agent.end()
        controller.end()
        third.end()
    other.end()
