# SPDX-License-Identifier: GPL-3.0-or-later
"""An adapter that is not there is a state of the radio; by its address it is found under whatever index it comes."""

import time

import feats
import hci

ADDRESS = "00:E0:4C:00:00:77"


def scenario(lab):
    other = lab.controller(address="00:E0:4C:00:00:01")
    for access in ("exclusive", "shared"):
        agent = lab.agent(radio=ADDRESS, access=access)
        lab.until(lambda: ADDRESS in agent.radio()["detail"], "it says what is missing")
        lab.equal(agent.radio()["state"], "absent", "the radio")
        # It begins before the adapter is there, and has the time in it that the kernel takes for it.
        start = time.monotonic()
        controller = lab.controller(address=ADDRESS)
        agent.await_state("on")
        controller.await_scan()
        took = time.monotonic() - start
        lab.figure(f"{access} adapter made and scans after s", took)
        lab.check(took <= 3, f"it took {took:.1f} s to scan")
        # Somebody else has the index that it had.
        before = controller.index
        controller.unplug()
        agent.await_state("absent")
        third = lab.controller(address="00:E0:4C:00:00:02")
        controller.plug()
        agent.await_state("on")
        controller.await_scan()
        lab.check((third.index, controller.index != before) == (before, True), "it came back under another index")
        lab.figure(f"{access} index", f"{before}, {controller.index}")
        count, read, dropped = feats.carry_load(lab, controller, agent, 200, 2, label=f"{access} ")
        feats.hold_exact(lab, count, read, dropped)
        feats.forget(lab, access, keep=("after", "index"))
        agent.end()
        controller.end()
        third.end()
    other.end()
