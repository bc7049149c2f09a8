# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks with hostile and hidden names: both sources deliver the same bytes, and no Bluetooth report is lost."""

import json

import networks
import steps

PATIENCE = 300

VISIBLE = [
    b"Cam-1", b"Cam-12", b"Cam-", b"cam-1", b"Cam-1 ", b" Cam-1", b" Cam-1 ", b" ", b"a\0b", b"\0a", b"a\0", b"\xff\xfe", b"\xc3\x28",
    b"\x1b[31mred\x1b[0m", b"line\nfeed", b"\r", b"\x7f", "\u202eevil".encode(), "\u2066x\u2069".encode(), "K\u00fcche".encode(),
    b"75;195;188;99;104;101;", b"0x610062", b"\"quoted\"", b"'; rm -rf /", b"%s%n", b"$(id)", b"\\", b"null", b"{}", b"-r",
    b"x" * 31, b"x" * 32, "\U0001F4F7".encode(), b"\xed\xa0\x80", b"\xe2\x80\x8b", b"\x01", b"A", b"B", b"97;0;98;", b"\x9b31m",
]
HIDDEN = [b"", bytes(10)]
TOO_LONG = b"y" * 33


def check_lists(lab, radios):
    lists, errors, refused = radios.lists()
    lab.equal(errors, {}, "errors of the sources")
    expected = [(f"02:42:00:00:{number >> 8:02x}:{number & 255:02x}", name.hex() or "-")
                for number, name in enumerate(VISIBLE + HIDDEN)]
    for source in ("extensions", "nl80211"):
        lab.equal([row[:2] for row in lists[source]], expected, f"addresses and names by {source}")
        lab.equal(refused[source], 1, f"names of 33 bytes by {source}")
        lab.equal({row[2:] for row in lists[source]}, {("2437", "-50", "wpa2")}, f"frequency, signal, security by {source}")
    lab.equal(lists["extensions"], lists["nl80211"], "both lists")


def completed(agent):
    return agent.metrics()['network_scans_ended_total{end="completed"}']


def check_tool(lab, agent):
    """The tool lists every name: as bytes in JSON, and without anything that a terminal would act on as text."""
    lines = [json.loads(line) for line in agent.tool("sightings", "--networks", "--all", "--json").splitlines()]
    names = [bytes.fromhex(line["ssidHex"]) if "ssidHex" in line else line["ssid"].encode() for line in lines]
    lab.equal(sorted(names), sorted(VISIBLE), "the names in JSON")
    lab.equal([line for line in lines if "\0" in line["ssid"]], [], "texts with NUL")
    text = agent.tool("sightings", "--networks", "--all")
    acting = {character for character in text if character != "\n" and not character.isprintable()}
    lab.equal(acting, set(), "characters that act on a terminal")
    lab.check("wifi" in agent.tool("status"), "status shows the interface")


def scenario(lab):
    controller = lab.controller()
    agent = steps.start_scanning(
        lab, controller, "shared", more=f'wifi = "{networks.INTERFACE}"', item=networks.ITEM)
    lab.until(lambda: networks.wifi(agent)["state"] == "failed", "the agent says that there is no interface", 30)
    lab.check("there is no interface wlan0" in networks.wifi(agent)["problem"], networks.wifi(agent)["problem"])
    radios = networks.Radios(lab)
    radios.send([*VISIBLE, *HIDDEN, TOO_LONG])
    scans = completed(agent)
    count, read, dropped = steps.send_load(lab, controller, agent, 200, 12)
    lab.equal((count, dropped), (read, 0), "Bluetooth reports written and read, and lost")
    lab.check(completed(agent) > scans, "a scan for networks completed meanwhile")
    lab.until(lambda: networks.wifi(agent)["networks"] == len(VISIBLE), "the agent has every network with a name", 120)
    status, metrics = networks.wifi(agent), agent.metrics()
    lab.equal((status["source"], status.get("problem")), ("extensions", None), "source and problem")
    lab.check(metrics['network_scans_started_total{source="extensions"}'] >= 1, "the agent started a scan")
    lab.check(metrics['networks_dropped_total{reason="hidden"}'] >= len(HIDDEN), "hidden networks are counted")
    lab.check(metrics['networks_dropped_total{reason="longName"}'] >= 1, "names of 33 bytes are counted")
    # Each network is known to the kernel for 30 s only.
    radios.scan()
    check_lists(lab, radios)
    check_tool(lab, agent)
    lab.figure("names", len(VISIBLE))
    lab.figure("Bluetooth reports lost", int(count - read))
    radios.end()
    lab.until(lambda: networks.wifi(agent)["state"] == "failed", "the agent notices that the radio was unplugged", 30)
    agent.end()
    controller.end()
