# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording played through the kernel gives the same events as the tool gives for the file."""

import json
import subprocess

CAPTURE, MANIFEST = "/lab/Config/demo-room.btsnoop", "/lab/Config/accessoryd.toml"
PATIENCE = 240
KINDS = ("found", "changed", "lost")


def sequence(lines):
    """(event, app, item, address, reason) of each sighting event."""
    rows = []
    for line in lines:
        event = json.loads(line)
        if event.get("event") in KINDS:
            rows.append((event["event"], event["app"], event["item"], event["address"], event.get("reason")))
    return rows


def scenario(lab):
    words = ["/lab/bin/accessoryctl", "replay", CAPTURE, "--manifest", MANIFEST, "--json"]
    wanted = sequence(subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines())
    controller = lab.controller()
    text = open(MANIFEST).read().replace('radio = "any"', 'radio = "hci0"').replace(
        'access = "shared"', 'access = "exclusive"').replace('board = "generic"', 'board = "virtual"')
    agent = lab.agent(manifest=text)
    agent.await_state("on", 30)
    controller.await_scan()
    with agent.client() as client:
        client.send("Watch", more=True)
        client.receive()
        controller.replay(CAPTURE)
        lab.until(lambda: not controller.count()["replaying"], "the recording is over", 120, 0.5)
        heard = []
        while len(heard) < len(wanted):
            event = client.receive().get("event")
            if event and event["event"] in KINDS:
                heard.append((event["event"], event["app"], event["item"], event["address"], event.get("reason")))
    lab.figure("events", len(heard))
    for place, (left, right) in enumerate(zip(heard, wanted)):
        lab.equal(left, right, f"event {place}")
