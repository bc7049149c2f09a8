# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's filter, in both access modes: the same devices are found and lost as without it, and few reports pass."""

import pathlib
import subprocess
import time

import scenes
import steps

CAPTURE, MANIFEST = "/lab/Config/demo-scene.btsnoop", "/lab/Config/accessoryd.toml"
PATIENCE = 1200
# What the agent may learn later, because it reads the radio when a report passes, or 20 ms later.
TOLERANCE_SECONDS = 0.15
OPTMEM = pathlib.Path("/proc/sys/net/core/optmem_max")
ITEM = """
[[app.lights.item]]
id = "i{number}"
name = "item"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.bluetooth-manufacturer-data-blob = "a55a{number:04x}01020304"
"""


def filter_text(agent):
    return agent.radio().get("filter", "")


def await_filter(lab, agent):
    return lab.until(lambda: (text := filter_text(agent)) and not text.startswith("none") and text, "there is a filter")


def heard(lab, access, switch):
    """Plays the recording to an agent. Returns what each device did and when, and how many reports the agent read."""
    controller = lab.controller()
    text = pathlib.Path(MANIFEST).read_text()
    for old, new in (("radio = \"any\"", 'radio = "hci0"'), ('access = "shared"', f'access = "{access}"'),
                     ('board = "generic"', 'board = "virtual"'), ('filter = "on"', f'filter = "{switch}"')):
        lab.check(old in text, f"the manifest has {old}")
        text = text.replace(old, new)
    agent = lab.agent(manifest=text)
    agent.await_state("on", 30)
    controller.await_scan()
    if switch == "on":
        await_filter(lab, agent)
    devices, first = {}, None
    with agent.client() as client:
        client.send("Watch", more=True)
        client.receive()
        controller.replay(CAPTURE)
        lab.until(lambda: not controller.count()["replaying"], "the recording is over", 120, 0.5)
        client.socket.settimeout(1)
        while True:
            try:
                event = client.receive().get("event") or {}
            except TimeoutError:
                break
            if event.get("event") not in ("found", "lost"):
                continue
            first = event["time"] if first is None else first
            devices.setdefault(event["address"], []).append(
                (event["event"], event["app"], event["item"], event.get("reason"), event["time"] - first))
    metrics, text = agent.metrics(), filter_text(agent)
    agent.end()
    controller.end()
    return devices, int(metrics["reports_total"]), int(metrics["receive_drops_total"]), text


def compare(lab, access):
    """The same devices are found and lost at the same times."""
    whole, all_reports, _, _ = heard(lab, access, "off")
    filtered, reports, drops, text = heard(lab, access, "on")
    lab.equal(filtered.keys(), whole.keys(), "the devices")
    latest = 0
    for address, rows in whole.items():
        lab.equal([row[:4] for row in filtered[address]], [row[:4] for row in rows], f"events of {address}")
        latest = max([latest, *(abs(one[4] - other[4]) for one, other in zip(filtered[address], rows))])
    lab.figure(f"\n         {access}: devices", len(whole))
    lab.figure(f"{access} reports", f"{reports:,} of {all_reports:,}")
    lab.figure(f"{access} latest s", round(latest, 3))
    lab.figure(f"{access} filter", text)
    lab.check(latest <= TOLERANCE_SECONDS, f"an event came {latest:.3f} s earlier or later")
    lab.check(reports < all_reports, "the kernel dropped reports")
    lab.equal(drops, 0, "packets dropped because the buffer was full")


def serve(lab, access):
    """A crowd, a replug, a reload, and a list of everything."""
    controller = lab.controller(scenes.crowd(100, 5))
    agent = lab.agent(radio="any", access=access, filter="on")
    agent.await_state("on", 30)
    controller.await_scan()
    agent.await_metric('events_total{event="found"}', 5)
    time.sleep(3)
    before, written = steps.reports(agent.metrics()), controller.count()["reports"]
    time.sleep(10)
    passed = steps.reports(agent.metrics()) - before
    count = controller.count()["reports"] - written
    text = filter_text(agent)
    lab.figure(f"\n         {access}: passed", f"{passed:,} of {count:,}; {text}")
    # Five devices of a hundred, one in 64 of the others, and those that the controller has reported together.
    lab.check(passed < count * 0.3, f"{passed} of {count} reports passed")
    lab.check(text.startswith("1 item"), f"the status of the filter is {text}")
    controller.unplug()
    agent.await_state("absent")
    controller.plug()
    agent.await_state("on")
    controller.await_scan()
    await_filter(lab, agent)
    agent.tool("reload")
    await_filter(lab, agent)
    devices = agent.tool("sightings", "--all").count("C4:A1:00")
    lab.equal(devices, 100, "devices in the list of everything")
    lab.check(filter_text(agent).startswith("none now"), "there is no filter while calls list everything")
    lab.equal(agent.radio()["state"], "on", "the radio")
    agent.end()
    controller.end()


def listen(lab):
    """Everything passes while a command of the tool needs devices that no item looks for, and for a minute after it."""
    controller = lab.controller(scenes.crowd(20, 5, interval=200))
    agent = lab.agent(radio="any", access="exclusive", filter="on")
    agent.await_state("on", 30)
    controller.await_scan()
    other = "C4:A1:00:00:00:13"
    for command, *arguments in (
            ("sightings", "--all"), ("explain", other), ("try", "lights/bulb"), ("suggest", other),
            ("calibrate", other, "--samples", "20", "--within", "20"), ("capture", "-", "--seconds", "5"),
            ("setup", "--app", "bulbs", "--user", "daemon", "--device", other, "--yes", "--manifest", str(agent.home / "accessoryd.toml"))):
        lab.until(lambda: filter_text(agent).startswith("1 item"), f"there is a filter before {command}", 120)
        tool = subprocess.Popen(
            ["/lab/bin/accessoryctl", command, *arguments, "--socket", agent.socket_path], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        lab.until(lambda: filter_text(agent).startswith("none now"), f"{command} gets every report", 10)
        _, errors = tool.communicate(timeout=120)
        lab.check(tool.returncode in (0, 1), f"{command} ends with {tool.returncode}: {errors.strip()}")
    agent.end()
    controller.end()


def refuse(lab):
    """A kernel that takes no long program gets a shorter one, and the agent goes on without one that fits."""
    usual = OPTMEM.read_text()
    controller = lab.controller(scenes.crowd(20, 5, interval=200))
    many = "".join(ITEM.format(number=number) for number in range(100))
    for limit, wanted in ((usual, "101 items,"), ("9000", "101 items in less detail"), ("2000", "none: the kernel takes")):
        OPTMEM.write_text(limit)
        agent = lab.agent(radio=controller.name_of_adapter, access="shared", filter="on", item=many)
        agent.await_state("on", 30)
        controller.await_scan()
        agent.await_metric('events_total{event="found"}', 5)
        time.sleep(3)
        text = filter_text(agent)
        lab.figure(f"\n         optmem_max {limit.strip()}", text)
        lab.check((text + ",").startswith(wanted), f"the filter is {text}")
        agent.end()
    OPTMEM.write_text(usual)
    crowd = "".join(ITEM.format(number=number) for number in range(2000))
    agent = lab.agent(radio=controller.name_of_adapter, access="shared", filter="on", item=crowd)
    agent.await_state("on", 60)
    agent.await_metric('events_total{event="found"}', 5)
    lab.figure("\n         2,000 items", filter_text(agent))
    agent.end()
    controller.end()


def scenario(lab):
    for access in ("exclusive", "shared"):
        compare(lab, access)
        serve(lab, access)
    listen(lab)
    refuse(lab)
