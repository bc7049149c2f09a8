# SPDX-License-Identifier: GPL-3.0-or-later
"""A recording that is played through the kernel gives for each device the same events as `accessoryctl replay` gives for
the file."""

import json
import subprocess

CAPTURE, MANIFEST = "/lab/Config/demo-scene.btsnoop", "/lab/Config/accessoryd.toml"
PATIENCE = 240
# How long no event comes.
QUIET_SECONDS = 1
KINDS = ("found", "changed", "lost")


def events(client):
    """The events that come until none has come for a second."""
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


def by_device(rows):
    """The events of each device. The kernel delivers up to a drain later: events of two devices may change places."""
    devices = {}
    for row in rows:
        devices.setdefault(row[3], []).append(row)
    return devices


def scenario(lab):
    command = ["/lab/bin/accessoryctl", "replay", CAPTURE, "--manifest", MANIFEST, "--json"]
    tool = subprocess.run(command, capture_output=True, text=True, check=True)
    wanted = sequence(map(json.loads, tool.stdout.splitlines()))
    controller = lab.controller()
    text = open(MANIFEST).read().replace('radio = "any"', 'radio = "hci0"').replace(
        'access = "shared"', 'access = "exclusive"').replace('board = "generic"', 'board = "virtual"').replace('filter = "on"', 'filter = "off"')
    agent = lab.agent(manifest=text)
    agent.await_state("on", 30)
    controller.await_scan()
    with agent.client() as client:
        client.send("Watch", more=True)
        client.receive()
        controller.replay(CAPTURE)
        lab.until(lambda: not controller.count()["replaying"], "the recording is over", 120, 0.5)
        heard = sequence(events(client))
    lab.figure("events", len(heard))
    heard, wanted = by_device(heard), by_device(wanted)
    lab.equal(heard.keys(), wanted.keys(), "the devices")
    for address, rows in wanted.items():
        # After the end of the recording the agent's clock still runs, and devices are lost to silence.
        while len(heard[address]) > len(rows) and heard[address][-1][::4] == ("lost", "silence"):
            heard[address].pop()
        for number, (left, right) in enumerate(zip(heard[address], rows)):
            lab.equal(left, right, f"event {number} of {address}")
        lab.equal(len(heard[address]), len(rows), f"how many events {address} has")
