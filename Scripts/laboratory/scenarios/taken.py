# SPDX-License-Identifier: GPL-3.0-or-later
"""Another program has the adapter, or rfkill blocks it: the radio's sentence names it; freed, it scans within 3 s."""

import time

import hci


def again(lab, agent, controller, label, end):
    end()
    start = time.monotonic()
    agent.await_state("on")
    controller.await_scan()
    took = time.monotonic() - start
    lab.figure(f"{label} s", took)
    lab.check(took <= 3, f"{label}: it took {took:.1f} s to scan again")


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        index = controller.index
        lab.until(lambda: hci.flags(index) == 0, "the kernel takes an unused adapter down", 10)
        other = hci.open_channel(index, hci.CHANNEL_USER)
        agent = lab.agent(radio=f"hci{index}", access=access)
        await_word(lab, agent, "another program")
        again(lab, agent, controller, f"{access} taken", other.close)
        if access == "exclusive":
            # rfkill does not block an adapter whose user channel is open, and a blocked adapter cannot be opened.
            agent.end()
            hci.block(True)
            agent = lab.agent(radio=f"hci{index}", access=access)
        else:
            hci.block(True)
        await_word(lab, agent, "rfkill")
        again(lab, agent, controller, f"{access} blocked", lambda: hci.block(False))
        agent.end()
        controller.end()


def await_word(lab, agent, word):
    """Waits until the radio's sentence contains the word, and checks that the radio is not on."""
    lab.until(lambda: word in agent.radio()["detail"], f"the sentence contains {word!r}", 20)
    lab.check(agent.radio()["state"] != "on", f"the radio is not on: {agent.radio()}")
