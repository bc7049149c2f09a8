# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL while it scans: started again it scans again, in both manners, and what it left in the kernel is gone.

An adapter that was up before the first one took it for itself is up when the last one is done."""

import time

import feats
import hci

KILLS = 3


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        index = controller.index
        lab.equal(hci.Management().power(index), 0, "the status of powering the adapter")
        flags = hci.flags(index)
        agent = feats.scanning(lab, controller, access)
        longest = 0
        others = add_monitor(lab, controller) if access == "shared" else []
        for _ in range(KILLS):
            agent.kill()
            start = time.monotonic()
            agent.start_again()
            agent.await_state("on", 30)
            controller.await_scan()
            longest = max(longest, time.monotonic() - start)
        lab.figure(f"{access} scans after s", longest)
        count, read, dropped = feats.carry_load(lab, controller, agent, 200, 2, label=f"{access} ")
        feats.hold_exact(lab, count, read, dropped)
        feats.forget(lab, access, keep="after")
        if access == "shared":
            left = hci.Management().monitors(controller.index)
            lab.figure("monitors", len(left))
            lab.check(len(left) == 2 and set(others) < set(left), f"one of ours and {others}, not {left}")
        lab.equal(agent.end(), 0, "the agent's exit status")
        lab.until(lambda: hci.flags(index) == flags, f"the flags are as before: {flags:#x}", 5)
        if access == "shared":
            lab.equal(hci.Management().monitors(controller.index), others, "the monitors afterwards")
        controller.end()


def add_monitor(lab, controller):
    """Somebody else's: one pattern without bytes."""
    management = hci.Management()
    before = management.monitors(controller.index)
    status, _ = management.call(hci.Management.ADD_MONITOR, controller.index, bytes([1, 0x01, 0, 0]) + bytes(31))
    lab.equal(status, 0, "the status of adding a monitor")
    return [handle for handle in management.monitors(controller.index) if handle not in before]
