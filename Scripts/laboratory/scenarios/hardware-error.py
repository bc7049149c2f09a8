# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller reports a hardware error: it scans again within 3 s, in both access modes."""

import time

import steps


def scenario(lab):
    for access in ("exclusive", "shared"):
        controller = lab.controller()
        agent = steps.start_scanning(lab, controller, access)
        resets = controller.count()["resets"]
        start = time.monotonic()
        controller.hardware_error()
        lab.until(lambda: controller.count()["resets"] > resets, "it is reset", 5)
        controller.await_scan()
        agent.await_state("on")
        took = time.monotonic() - start
        lab.figure(f"{access} scans after s", took)
        count, read, dropped = steps.send_load(lab, controller, agent, 200, 2, label=f"{access} ")
        steps.check_counts(lab, count, read, dropped)
        lab.check(count > 300 and took <= 3, f"{count} reports were written, {took:.1f} s after the error")
        steps.drop_figures(lab, access, keep="after")
        agent.end()
        controller.end()
