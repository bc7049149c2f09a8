# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing private addresses: with a key they are one device, without a key each address is another device."""

import time

import steps
import scenes

KEYS = ["00000000000000110000000000002233", "00000000000000440000000000005566"]
IDENTITIES = """schema = 1
[[identity]]
address = "C0:11:22:33:44:55"
address-type = "random"
irk = "{key}"
"""


def scenario(lab):
    keys = lab.folder / "keys.toml"
    keys.write_text(IDENTITIES.format(key=KEYS[0]))
    keys.chmod(0o600)
    for access in ("exclusive", "shared"):
        follow(lab, access, keys)


def follow(lab, access, keys):
    controller = lab.controller(scenes.rotating(KEYS, 5))
    agent = steps.start_scanning(lab, controller, access, more=f'identity-keys = "{keys}"')
    time.sleep(23)
    with agent.client() as client:
        client.send("Sightings", more=True)
        seen = []
        while device := client.receive().get("device"):
            seen.append((device["address"], device["addressType"]))
    known = [address for address, kind in seen if kind == "randomIdentity"]
    lab.equal(known, ["C0:11:22:33:44:55"], "the device with a key")
    metrics = agent.metrics()
    # One row for the device with a key; the other has a new one every five seconds.
    others = int(metrics["devices_added_total"]) - 1
    lab.check(4 <= others <= 6, f"addresses of the device without a key: {others}")
    lab.figure(f"{access} addresses followed", int(metrics["addresses_followed_total"]))
    lab.check(metrics["addresses_followed_total"] >= 3, "the device with a key is followed")
    lab.figure(f"{access} rows without a key", others)
    agent.end()
    controller.end()
