# SPDX-License-Identifier: GPL-3.0-or-later
"""Another program's short scans, while the agent starts none: they count, also where libiw lists the networks."""

import time

import networks

PATIENCE = 300
# An operator chooses among its networks: without an open request the agent starts no scan for it.
ITEM = """[app.camera]
user = "camera"
supports = ["WiFi"]
[[app.camera.item]]
name = "Gate camera"
descriptor.ssid-prefix = "Cam-"
"""


def events(watch, found):
    while reply := watch.poll():
        if event := reply.get("network"):
            found.append((event["event"], event["ssid"]))
    return found


def scenario(lab):
    controller = lab.controller()
    radios = networks.Radios(lab)
    radios.send([b"Cam-1", b"Home"])
    agent = lab.agent(more=f'wifi = "{networks.INTERFACE}"', item=ITEM)
    watch, seen = agent.client(), []
    watch.send("Watch", more=True)
    metric = lambda name: agent.metrics()[name]
    completed = 'network_scans_ended_total{end="completed"}'
    lab.until(lambda: networks.wifi(agent)["state"] == "on", "the agent reads networks", 30)
    radios.scan()
    lab.until(lambda: ("found", "Cam-1") in events(watch, seen), "another program's scan finds the camera", 40, 1)
    last = time.monotonic()
    radios.send([b"Home"])
    for count, pause in enumerate((25, 45), 1):
        lab.equal([event for event in events(watch, seen) if event[0] == "lost"], [], f"networks lost before scan {count}")
        before = metric(completed)
        time.sleep(max(0, last + pause - time.monotonic()))
        last = time.monotonic()
        radios.scan()
        lab.until(lambda: metric(completed) == before + 1, f"scan {count} without the camera counts once", 40, 1)
    lab.until(lambda: ("lost", "Cam-1") in events(watch, seen), "two scans in 60 s lose the camera", 30, 1)
    for source in ("extensions", "nl80211"):
        lab.equal(metric(f'network_scans_started_total{{source="{source}"}}'), 0, f"scans of the agent by {source}")
    lab.figure("scans of another program counted", metric(completed))
    agent.end()
    radios.end()
    controller.end()
