# SPDX-License-Identifier: GPL-3.0-or-later
"""What an agent finds and shows of a recording, to compare one that the kernel's filter serves with one without it."""

import pathlib
import time
from typing import NamedTuple

import scenes
from agent import MANIFEST
from sessions import AppSession, Operator

CONFIG = pathlib.Path("/lab/Config")
SETTINGS, _, APPS = (CONFIG / "accessoryd.toml").read_text().partition("\n[app.")
LIGHTS = MANIFEST.partition("\n[app.")[2]
# Items that each know one of the frames which a device sends in turn.
FRAMES = """lights]
user = "lights"
supports = ["Bluetooth"]
bluetooth-company-identifiers = ["0x0EEE", "0x004C"]
bluetooth-services = ["FEAA", "FE2C", "FCD2"]
""" + "".join(f"""[[app.lights.item]]
name = "{name}"
descriptor.bluetooth-{key} = "{number}"
descriptor.bluetooth-{data}-data-blob = "{blob}"
descriptor.bluetooth-range = "{reach}"
""" for name, key, number, data, blob, reach in (
    ("uid", "service-uuid", "FEAA", "service", "00", "immediate"),
    ("url", "service-uuid", "FEAA", "service", "10", "default"),
    ("tlm", "service-uuid", "FEAA", "service", "20", "default"),
    ("account", "service-uuid", "FE2C", "service", "00", "default"),
    ("bthome", "service-uuid", "FCD2", "service", "40", "default"),
    ("ibeacon", "company-identifier", "0x004C", "manufacturer", "0215", "default"),
    ("maker", "company-identifier", "0x0EEE", "manufacturer", "10", "default"),
    ("restless", "company-identifier", "0x0EEE", "manufacturer", "0102", "default"),
))
# When apps open their pickers, in the recording.
OPEN_SECONDS = 8
# From then on after a device's first matching report its address is in the kernel's program, and everything passes.
LISTED_SECONDS = 1.1
# What the agent may learn later, because it reads the radio when a report passes, or 20 ms later.
TOLERANCE_SECONDS = 0.15
# ASPickerDisplaySettings: without an end; and then shown to the app alone.
SHOWN, FILTERED = {"discoveryTimeout": "unbounded"}, {"discoveryTimeout": "unbounded", "options": 1}
# What varies in what is shown: numbers, and what depends on when the picker opened, or on reports that passed by chance.
VARYING = {"candidate", "discovered", "time", "silence", "rssi", "filteredRSSI", "bluetoothRSSI", "intervalMilliseconds",
           "rhythmMilliseconds"}


def own(name, data):
    """An item that only the app knows."""
    return {"name": name, "descriptor": {"bluetoothCompanyIdentifier": 0x0EEE, "bluetoothManufacturerDataBlob": data}}


LAMPS = own("Lamp", "a55a0322")


class Recording(NamedTuple):
    """What is played: a capture, or a scene; what the manifest has beside the gateway's settings; the pickers that apps open
    meanwhile, as rows of app, account, items and settings; and how the filter is then, in words."""
    source: str
    apps: str
    pickers: tuple
    filter: str
    more: str = ""
    # How long no event comes afterwards: longer than the pauses between those that wait for a device to be silent.
    quiet: int = 15


def recordings(keys):
    """The recordings and scenes that there are. `keys` is a file with identity keys."""
    lights = (("lights", "lights", None, SHOWN),)
    return {
        "demo": Recording(
            CONFIG / "demo-scene.btsnoop", APPS,
            (("lights", "daemon", [{"item": "bulb"}, LAMPS], SHOWN), ("climate", "climate", None, FILTERED)), "8 items", quiet=60),
        "frames": Recording(
            CONFIG / "alternating-frames.btsnoop", FRAMES, (("lights", "lights", [LAMPS, own("Button", "0102")], SHOWN),), "10 items"),
        # Devices that change their address pass for the sake of the keys, the others do not. None pauses for a second: a pause
        # of about so much counts by chance.
        "crowd": Recording(
            scenes.crowd(60, 5, interval=700) + scenes.rotating(scenes.KEYS, 5).removeprefix(scenes.HEAD), LIGHTS, lights, "1 item",
            f'identity-keys = "{keys}"\n'),
    }


def record(lab, scene, seconds=20):
    """Plays a scene, and returns its capture."""
    path = lab.folder / f"{time.monotonic_ns()}.btsnoop"
    controller = lab.controller(scene)
    agent = lab.agent(radio=controller.name_of_adapter, access="exclusive")
    agent.await_state("on", 30)
    controller.await_scan()
    agent.tool("capture", str(path), "--seconds", str(seconds))
    agent.end()
    controller.end()
    return path


class Hearing:
    """Plays a capture to an agent. `events` are those of each device and item, `shown` is what operators and apps were shown."""

    def __init__(self, lab, access, switch, recording, capture):
        self.lab, self.recording = lab, recording
        controller = lab.controller()
        settings = SETTINGS
        # An active scan begins and ends at a time of its own, and reports are missing meanwhile.
        for old, new in (("radio = \"any\"", f'radio = "{controller.name_of_adapter}"'), ('access = "shared"', f'access = "{access}"'),
                         ('board = "generic"', 'board = "virtual"'), ('scan = "auto"', 'scan = "passive"'),
                         ('filter = "on"', f'{recording.more}filter = "{switch}"')):
            lab.check("\n" + old in settings, f"the manifest has {old}")
            settings = settings.replace("\n" + old, "\n" + new)
        agent = lab.agent(manifest=settings + "\n[app." + recording.apps.replace('"games"', '"climate"'))
        agent.await_state("on", 30)
        controller.await_scan()
        if switch == "on":
            agent.await_filter()
        apps, operator = [AppSession(agent, app, user) for app, user, *_ in recording.pickers], Operator(agent)
        self.events, self.first = {}, None
        with agent.client() as client:
            client.send("Watch", more=True)
            client.receive()
            controller.replay(capture)
            time.sleep(OPEN_SECONDS)
            for app, (_, _, items, settings) in zip(apps, recording.pickers):
                app.call("ShowPicker", settings=settings, **({"items": items} if items else {}))
            time.sleep(LISTED_SECONDS)
            if switch == "on":
                lab.check(agent.filter.startswith(recording.filter), f"the filter is {agent.filter} while pickers are open")
            while controller.count()["replaying"]:
                operator.read()
                time.sleep(2)
            while reply := client.poll(recording.quiet):
                self.note(reply.get("event") or {})
                operator.read()
        self.shown = [shown_to_operators(operator), *(shown_to_app(app) for app in apps)]
        self.filter, self.metrics, self.withheld = agent.filter, agent.metrics(), controller.count()["withheld"]
        agent.end()
        controller.end()

    def note(self, event):
        if event.get("event") in ("found", "changed", "lost"):
            self.first = self.first or event["time"]
            event["time"] -= self.first
            self.events.setdefault((event["address"], event["app"], event["item"]), []).append(event)


def steady(shown):
    """What is shown, without what varies."""
    return {key: value for key, value in shown.items() if key not in VARYING}


def shown_to_operators(operator):
    """The candidates as they were in the end, by app and address; also those that were gone before."""
    apps, last = {}, {}
    for reply in operator.received:
        if request := reply.get("request"):
            apps[request["request"]] = request["app"]
        elif candidate := reply.get("candidate"):
            last[apps[reply["of"]], candidate["address"]] = steady(candidate)
    return last


def shown_to_app(app):
    """The events of a session, sorted: two devices that are found within one reading of the radio may change places."""
    app.read()
    events = (reply.get("event") or {} for reply in app.received)
    return sorted(repr((event.get("event"), steady(event.get("discovered") or {}))) for event in events)


def compare(lab, whole, filtered):
    """Compares what was heard without and with the filter. Returns how far apart two events were at most."""
    lab.equal(filtered.shown, whole.shown, "what pickers show")
    lab.equal(filtered.events.keys(), whole.events.keys(), "the devices and their items")
    apart = 0
    for key, events in whole.events.items():
        listed = LISTED_SECONDS + min(rows[0]["time"] for (address, *_), rows in whole.events.items() if address == key[0])
        for kinds in (("found", "lost"), ("changed",)):
            wanted = [event for event in events if event["event"] in kinds and (kinds[0] == "found" or event["time"] >= listed)]
            heard = [event for event in filtered.events[key] if event["event"] in kinds]
            # Before, reports are missing, and a frame may be known later.
            while len(heard) > len(wanted) and kinds == ("changed",) and heard[0]["time"] < listed + TOLERANCE_SECONDS:
                del heard[0]
            lab.equal(list(map(content, heard)), list(map(content, wanted)), f"{kinds} of {key}")
            apart = max([apart, *(abs(one["time"] - other["time"]) for one, other in zip(heard, wanted))])
    return apart


def content(event):
    """What must be equal in two events. When a device is found or lost, its other payload may not be known yet."""
    names = ("event", "reason", "skipped", "data", "values") if event["event"] == "changed" else ("event", "reason")
    return [event.get(name) for name in names]
