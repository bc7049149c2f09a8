# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller ignores commands but still reports: the agent scans until it needs a command, in both access modes."""

import time

import steps
import recovery

PATIENCE = 240
# Longer than the silence after which the agent probes the controller.
SECONDS, RATE = 35, 50


def start(lab, access, **cure):
    """Checks that an agent under a load works with a controller that ignores commands."""
    controller = lab.controller()
    agent = steps.start_scanning(lab, controller, access, board="lab")
    before, metrics = controller.count(), agent.metrics()
    controller.fault("ignoring", **cure)
    controller.load(RATE, SECONDS)
    written = controller.await_load(SECONDS * 2)
    steps.check_counts(lab, steps.difference(written, before, "events"), steps.count_read(lab, agent, metrics), 0)
    lab.equal(agent.radio()["state"], "on", "the radio that is heard")
    lab.equal((recovery.used(agent), agent.metrics()["radio_probes_total"]), ([], 0), "recovery actions and probes")
    return controller, agent


def want_active(agent):
    """Asks for a scan that needs commands."""
    path = agent.home / "accessoryd.toml"
    path.write_text(path.read_text().replace("[gateway]", '[gateway]\nscan = "active"', 1))
    agent.tool("reload")
    return time.monotonic()


def exclusive(lab):
    """The command times out, and the second reset, that of taking the adapter down and up, ends the fault."""
    controller, agent = start(lab, "exclusive", resets=2)
    controller.load(RATE, SECONDS)
    wanted = want_active(agent)
    lab.until(lambda: agent.radio()["state"] != "on", "the agent notices it", 5)
    lab.figure("exclusive noticed after s", time.monotonic() - wanted)
    lab.until(lambda: not controller.count()["faulty"], "a recovery action ends the fault", recovery.RECOVERY_SECONDS)
    over = time.monotonic()
    agent.await_state("on", recovery.SCAN_SECONDS)
    controller.await_scan(seconds=recovery.SCAN_SECONDS)
    lab.figure("scans s after the cure", time.monotonic() - over)
    lab.equal(recovery.used(agent), ["restartScan", "reset", "takeDownAndUp"], "tried")
    agent.end()
    controller.end()


def shared(lab):
    """The kernel cannot change its scan, which continues. The agent repeats the request until it succeeds."""
    controller, agent = start(lab, "shared")
    before = agent.metrics()["reports_total"]
    controller.load(RATE, SECONDS)
    want_active(agent)
    agent.await_metric("reports_total", before + RATE * SECONDS // 2, SECONDS)
    lab.equal((agent.radio()["state"], recovery.used(agent)), ("on", []), "the radio's state and recovery actions")
    controller.clear_fault()
    over = time.monotonic()
    lab.until(lambda: "active" in agent.radio()["detail"], "the scan is changed at the next try", 15)
    lab.figure("shared scans as wanted at the next try, s", time.monotonic() - over)
    agent.end()
    controller.end()


def scenario(lab):
    exclusive(lab)
    shared(lab)
