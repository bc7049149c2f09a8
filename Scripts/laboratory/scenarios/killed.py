# SPDX-License-Identifier: GPL-3.0-or-later
"""SIGKILL while it scans: started again it scans again, in both manners."""

import time

import feats
import hci


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = feats.scanning(lab, controller, access)
        agent.kill()
        start = time.monotonic()
        agent.start_again()
        agent.await_state("on", 30)
        controller.await_scan()
        lab.figure(f"{access} scans after s", time.monotonic() - start)
        count, read, dropped = feats.carry_load(lab, controller, agent, 200, 2, label=f"{access} ")
        feats.hold_exact(lab, count, read, dropped)
        if access == "shared":
            lab.figure("monitors", len(hci.Management().monitors(controller.index)))
        feats.forget(lab, access, keep="after")
        lab.equal(agent.end(), 0, "the agent's exit status")
        controller.end()
