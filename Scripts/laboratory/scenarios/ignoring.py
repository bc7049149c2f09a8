# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller ignores commands and its reports go on: it scans, until a command matters, in both manners."""

import time

import feats
import ladder

PATIENCE = 240
# Longer than a silence that is asked about.
SECONDS, RATE = 35, 50


def begin(lab, access, **cure):
    """An agent under a load that is not disturbed by a controller which takes no commands."""
    controller = lab.controller()
    agent = feats.scanning(lab, controller, access, board="lab")
    before, metrics = controller.count(), agent.metrics()
    controller.fault("ignoring", **cure)
    controller.load(RATE, SECONDS)
    written = controller.await_load(SECONDS * 2)
    feats.hold_exact(lab, feats.difference(written, before, "events"), feats.settled(lab, agent, metrics), 0)
    lab.equal(agent.radio()["state"], "on", "the radio that is heard")
    lab.equal((ladder.used(agent), agent.metrics()["radio_probes_total"]), ([], 0), "remedies and questions")
    return controller, agent


def want_active(agent):
    """Something that needs commands."""
    path = agent.home / "accessoryd.toml"
    path.write_text(path.read_text().replace("[gateway]", '[gateway]\nscan = "active"', 1))
    agent.tool("reload")
    return time.monotonic()


def exclusive(lab):
    """The command's time passes, and the second reset, that of taking the adapter down and up, cures."""
    controller, agent = begin(lab, "exclusive", resets=2)
    controller.load(RATE, SECONDS)
    start = want_active(agent)
    lab.until(lambda: agent.radio()["state"] != "on", "it is noticed", 5)
    lab.figure("exclusive noticed after s", time.monotonic() - start)
    lab.until(lambda: not controller.count()["faulty"], "a rung cures", ladder.LADDER_SECONDS)
    over = time.monotonic()
    agent.await_state("on", ladder.AGAIN_SECONDS)
    controller.await_scan(seconds=ladder.AGAIN_SECONDS)
    lab.figure("scans s behind the cure", time.monotonic() - over)
    lab.equal(ladder.used(agent), ["restartScan", "reset", "takeDownAndUp"], "tried")
    agent.end()
    controller.end()


def shared(lab):
    """The kernel cannot change its scan, which goes on: that is asked for again until it is so."""
    controller, agent = begin(lab, "shared")
    before = agent.metrics()["reports_total"]
    controller.load(RATE, SECONDS)
    want_active(agent)
    agent.await_metric("reports_total", before + RATE * SECONDS // 2, SECONDS)
    lab.equal((agent.radio()["state"], ladder.used(agent)), ("on", []), "the radio that is heard, and remedies")
    controller.mend()
    over = time.monotonic()
    lab.until(lambda: "active" in agent.radio()["detail"], "the scan is changed at the next try", 15)
    lab.figure("shared scans as wanted at the next try, s", time.monotonic() - over)
    agent.end()
    controller.end()


def scenario(lab):
    exclusive(lab)
    shared(lab)
