# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording played through the kernel gives the same events as the tool gives for the file."""

import json
import subprocess

CAPTURE, MANIFEST = "/lab/Config/demo-scene.btsnoop", "/lab/Config/accessoryd.toml"
PATIENCE = 240
# Without an event.
QUIET_SECONDS = 1
KINDS = ("found", "changed", "lost")


def events(client):
    """All that came, once nothing more comes."""
    client.socket.settimeout(QUIET_SECONDS)
    while True:
        try:
            yield client.receive().get("event") or {}
        except TimeoutError:
            return


def sequence(rows_of_events):
    """(event, app, item, address, reason) of each sighting event."""
    rows = []
    for event in rows_of_events:
        if event.get("event") in KINDS:
            rows.append((event["event"], event["app"], event["item"], event["address"], event.get("reason")))
    return rows


def scenario(lab):
    words = ["/lab/bin/accessoryctl", "replay", CAPTURE, "--manifest", MANIFEST, "--json"]
    tool = subprocess.run(words, capture_output=True, text=True, check=True)
    wanted = sequence(map(json.loads, tool.stdout.splitlines()))
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
        heard = sequence(events(client))
    # The agent's time goes on behind the end of the recording, and silence lasts.
    while len(heard) > len(wanted) and heard[-1][0] == "lost" and heard[-1][-1] == "silence":
        heard.pop()
    lab.figure("events", len(heard))
    for place, (left, right) in enumerate(zip(heard, wanted)):
        lab.equal(left, right, f"event {place}")
    lab.equal(len(heard), len(wanted), "how many events there are")
