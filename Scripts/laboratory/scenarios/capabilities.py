# SPDX-License-Identifier: GPL-3.0-or-later
"""An agent under its own account with all, some and no capabilities: it works, or its status names what is missing."""

import hci

USER = "accessoryd"
NAMES = {"net_admin": "CAP_NET_ADMIN", "net_raw": "CAP_NET_RAW"}


def confined(capabilities):
    """The command that starts a program as the agent's user, which can only have these capabilities."""
    listed = ",".join(["-all"] + [f"+{name}" for name in capabilities])
    return ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--no-new-privs",
            f"--inh-caps={listed}", f"--ambient-caps={listed}", f"--bounding-set={listed}"]


def works(lab, access, capabilities, rate=200):
    """Checks that the agent scans, and reads every written event."""
    controller = lab.controller()
    agent = lab.agent(radio="hci0", access=access, user=USER, before=confined(capabilities))
    agent.await_state("on", 30)
    if access == "shared" and "net_admin" not in capabilities:
        listens(lab, controller, agent)
    controller.await_scan()
    before, written = agent.metrics()["reports_total"], controller.count()["events"]
    controller.load(rate, 2)
    controller.await_load(20)
    count = controller.count()["events"] - written
    agent.await_metric("reports_total", before + count)
    lab.check(count > 0, "something was written")
    agent.end()
    controller.end()


def listens(lab, controller, agent):
    """Checks that the agent reports that it only listens, and adds a monitor so that the kernel scans."""
    status = agent.status()
    sentences = [status["radio"]["detail"]] + [problem["sentence"] for problem in status.get("problems", [])]
    is_named = any("CAP_NET_ADMIN" in text for text in sentences)
    lab.check(is_named, f"the agent reports that it only listens: {sentences}")
    mgmt = hci.Mgmt()
    lab.equal(mgmt.power(controller.index), 0, "the status of powering the adapter")
    # A monitor of all advertisements: one pattern without bytes.
    status, _ = mgmt.call(hci.Mgmt.ADD_MONITOR, controller.index, bytes([1, 0x01, 0, 0]) + bytes(31))
    lab.equal(status, 0, "the status of adding a monitor")


def refused(lab, access, capabilities, missing):
    """Checks that the radio is not on, and that its sentence names the capability."""
    controller = lab.controller()
    agent = lab.agent(radio="hci0", access=access, user=USER, before=confined(capabilities))
    lab.until(lambda: missing in agent.radio()["detail"], f"the agent names {missing}", 15)
    radio = agent.radio()
    lab.check(radio["state"] != "on", f"the radio is not on: {radio}")
    for cure in ("setcap", "AmbientCapabilities"):
        lab.check(cure in radio["detail"], f"the sentence names {cure}: {radio['detail']}")
    agent.end()
    controller.end()


def scenario(lab):
    works(lab, "exclusive", ["net_admin", "net_raw"])
    works(lab, "exclusive", ["net_admin"])
    works(lab, "shared", ["net_admin", "net_raw"])
    works(lab, "shared", ["net_raw"])
    refused(lab, "exclusive", ["net_raw"], NAMES["net_admin"])
    refused(lab, "exclusive", [], NAMES["net_admin"])
    refused(lab, "shared", ["net_admin"], NAMES["net_raw"])
    refused(lab, "shared", [], NAMES["net_raw"])
    lab.figure("cases", 8)
