# SPDX-License-Identifier: GPL-3.0-or-later
"""The kernel's filter, in both access modes: recordings give the same events and pickers as without it, and few reports pass."""

import pathlib
import random
import struct
import subprocess
import time

import hearing
import scenes
import steps

PATIENCE = 4000
FOUND, LOST = (f'events_total{{event="{event}"}}' for event in ("found", "lost"))
# The events of a flood, and how many malformed ones follow it.
EVENTS, MALFORMED = 10_000, 1_000
ADDRESS = "D0:00:00:00:EE:01"
OPTMEM = pathlib.Path("/proc/sys/net/core/optmem_max")
ITEM = """
[[app.lights.item]]
id = "i{number}"
name = "item"
descriptor.bluetooth-company-identifier = "0x0EEE"
descriptor.bluetooth-manufacturer-data-blob = "a55a{number:04x}01020304"
"""


def compare(lab, recordings):
    """The same is found, changes, is lost and is shown in pickers, at the same times."""
    for name, recording in recordings.items():
        capture = recording.source
        if not str(capture).endswith(".btsnoop"):
            capture = hearing.record(lab, capture)
        for access in ("exclusive", "shared"):
            whole, filtered = (hearing.Hearing(lab, access, switch, recording, capture) for switch in ("off", "on"))
            apart = hearing.compare(lab, whole, filtered)
            counts = [steps.reports(heard.metrics) for heard in (filtered, whole)]
            lab.figure(f"\n         {access} {name}", f"{len(whole.events)} matches, {counts[0]:,} of {counts[1]:,} reports, "
                       f"at most {apart:.3f} s apart; {filtered.filter}")
            lab.check(apart <= hearing.TOLERANCE_SECONDS, f"an event came {apart:.3f} s earlier or later")
            lab.equal((whole.withheld, filtered.withheld), (0, 0), "reports that a change of the scan has withheld")
            lab.equal(filtered.metrics["receive_drops_total"], 0, "packets dropped because the buffer was full")


def serve(lab, access):
    """A crowd, a replug, a reload, and a list of everything."""
    controller = lab.controller(scenes.crowd(100, 5))
    agent = lab.agent(radio="any", access=access, filter="on")
    agent.await_state("on", 30)
    controller.await_scan()
    agent.await_metric(FOUND, 5)
    time.sleep(3)
    before, written = steps.reports(agent.metrics()), controller.count()["reports"]
    time.sleep(10)
    passed = steps.reports(agent.metrics()) - before
    count = controller.count()["reports"] - written
    text = agent.filter
    lab.figure(f"\n         {access}: passed", f"{passed:,} of {count:,}; {text}")
    # Five devices of a hundred, one in 64 of the others, and those that the controller has reported together.
    lab.check(passed < count * 0.3, f"{passed} of {count} reports passed")
    lab.check(text.startswith("1 item"), f"the status of the filter is {text}")
    flood(lab, controller, agent, access)
    controller.unplug()
    agent.await_state("absent")
    controller.plug()
    agent.await_state("on")
    controller.await_scan()
    agent.await_filter()
    agent.tool("reload")
    agent.await_filter()
    devices = agent.tool("sightings", "--all").count("C4:A1:00")
    lab.equal(devices, 100, "devices in the list of everything")
    lab.check(agent.filter.startswith("none now"), "there is no filter while calls list everything")
    lab.equal(agent.radio()["state"], "on", "the radio")
    agent.end()
    controller.end()


def report(company, data, is_extended=False):
    """An event with one report of manufacturer data."""
    data = struct.pack("<BBBBBH", 2, 1, 6, 3 + len(data), 0xFF, company) + data
    address, level = bytes.fromhex(ADDRESS.replace(":", ""))[::-1], 0xC8
    if is_extended:
        head = struct.pack("<BBHB6sBBBBBH7xB", 0x0D, 1, 0x10, 1, address, 1, 0, 0xFF, 0x7F, level, 0, len(data))
        return event(head + data)
    return event(struct.pack("<BBBB6sB", 0x02, 1, 3, 1, address, len(data)) + data + bytes([level]))


def event(parameters):
    return bytes([0x04, 0x3E, len(parameters)]) + parameters


def malformed(lab):
    """A capture of reports that are cut, or have wrong bytes from the number of reports on, all at one time."""
    chance, path = random.Random(33), lab.folder / "malformed.btsnoop"
    with path.open("wb") as file:
        file.write(b"btsnoop\0" + struct.pack(">II", 1, 1002))
        for number in range(MALFORMED):
            packet = bytearray(report(0x004C, b"\x12\x02", is_extended=number % 2 == 0)[3:])
            if number % 4 < 2:
                packet = packet[:chance.randrange(2, len(packet))]
            for _ in range(number % 4):
                packet[chance.randrange(1, len(packet))] = chance.randrange(256)
            packet = event(packet)
            file.write(struct.pack(">IIIIq", len(packet), len(packet), 3, 0, 0x00DCDDB30F2F8000) + packet)
    return path


def flood(lab, controller, agent, access):
    """A flood of what nothing looks for, and one of malformed events: what an item looks for is found meanwhile, and nothing ends."""
    before, count = agent.metrics(), controller.count()["events"]
    controller.flood(EVENTS, targets=0)
    controller.order("emit", bytes=report(0x0EEE, b"\xa5\x5a\x00\x10").hex())
    controller.await_load(120)
    time.sleep(2)
    middle = agent.metrics()
    lab.equal(middle[FOUND] - before[FOUND], 1, "devices found in the flood")
    controller.replay(malformed(lab))
    lab.until(lambda: not controller.count()["replaying"], "the malformed events are written", 60)
    time.sleep(2)
    after = agent.metrics()
    passed, count = steps.reports(middle) - steps.reports(before), controller.count()["events"] - count
    wrong, drops = (sum(after[name] - before[name] for name in after if name.startswith(kind)) for kind in ("malformed_total", "receive_drops_total"))
    lab.figure(f"{access} flood", f"{count:,} events, {passed:,} reports passed; then {wrong:,.0f} malformed; {drops:,.0f} dropped")
    lab.check(count >= EVENTS + MALFORMED and passed < EVENTS * 0.1 and wrong > MALFORMED / 2, "the flood was written, and the filter dropped it")
    lab.equal([after[name] for name in (LOST, "radio_failures_total")], [before[name] for name in (LOST, "radio_failures_total")], "what was lost and failed")
    lab.check(agent.filter.startswith("1 item") and agent.radio()["state"] == "on", f"the filter is {agent.filter}")


def share(lab):
    """While bluetoothd scans for another program it hears every device, and the agent's filter stays."""
    controller = lab.controller(scenes.crowd(30, 5))
    daemon = lab.bluetoothd()
    agent = steps.start_scanning(lab, controller, "shared", filter="on")
    agent.await_metric(FOUND, 5)
    client = daemon.discover(lab)
    lab.until(lambda: len(daemon.devices()) == 30, "bluetoothd has every device", 60, 1)
    before, written = steps.reports(agent.metrics()), controller.count()["reports"]
    time.sleep(10)
    passed, count = steps.reports(agent.metrics()) - before, controller.count()["reports"] - written
    lab.figure("\n         another program scans: passed", f"{passed:,} of {count:,}; {agent.filter}")
    lab.check(passed < count * 0.4, f"{passed} of {count} reports passed")
    client.end()
    agent.await_state("on")
    controller.await_scan()
    time.sleep(12)
    lab.check(agent.filter.startswith("1 item"), f"the filter is {agent.filter}")
    metrics = agent.metrics()
    lab.equal((metrics[FOUND], metrics[LOST]), (5, 0), "devices found and lost")
    agent.end()
    daemon.end()
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
        lab.until(lambda: agent.filter.startswith("1 item"), f"there is a filter before {command}", 120)
        tool = subprocess.Popen(
            ["/lab/bin/accessoryctl", command, *arguments, "--socket", agent.socket_path], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        lab.until(lambda: agent.filter.startswith("none now"), f"{command} gets every report", 10)
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
        agent.await_metric(FOUND, 5)
        time.sleep(3)
        text = agent.filter
        lab.figure(f"\n         optmem_max {limit.strip()}", text)
        lab.check((text + ",").startswith(wanted), f"the filter is {text}")
        agent.end()
    OPTMEM.write_text(usual)
    crowd = "".join(ITEM.format(number=number) for number in range(2000))
    agent = lab.agent(radio=controller.name_of_adapter, access="shared", filter="on", item=crowd)
    agent.await_state("on", 60)
    agent.await_metric(FOUND, 5)
    lab.figure("\n         2,000 items", agent.filter)
    agent.end()
    controller.end()


def scenario(lab):
    keys = scenes.identity_keys(lab)
    compare(lab, hearing.recordings(keys))
    for access in ("exclusive", "shared"):
        serve(lab, access)
    share(lab)
    listen(lab)
    refuse(lab)
