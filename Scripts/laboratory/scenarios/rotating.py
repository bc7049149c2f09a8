# SPDX-License-Identifier: GPL-3.0-or-later
"""Changing private addresses: with a key they are one device, without a key each address is another device."""

import time

import steps
import scenes


def scenario(lab):
    keys = scenes.identity_keys(lab)
    for access in ("exclusive", "shared"):
        follow(lab, access, keys)


def follow(lab, access, keys):
    controller = lab.controller(scenes.rotating(scenes.KEYS, 5))
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
