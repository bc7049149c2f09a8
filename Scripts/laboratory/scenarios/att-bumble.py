# SPDX-License-Identifier: GPL-3.0-or-later
"""The library's ATT client with bumble's GATT server: discovery, long values, 1,000 notifications, a link that ends."""

import struct

import apps
import hci
from relay import DICE

PATIENCE = 400
NOTIFICATIONS = 1000
# Core Specification 5.4, Vol 3, Part F, 3.2.9.
VALUE_BYTES_MAX = 512


def check_discovery(probe, mtu):
    probe.expect(
        "service 180F: 2A19", f"service {apps.SERVICE}: {apps.ROLL} {apps.SIDES} {apps.TEXT} {apps.END}",
        f"explored: {min(mtu - 3, VALUE_BYTES_MAX)} bytes fit")


def check_notifications(lab, probe, dice):
    probe.say(f"notify {apps.ROLL}")
    probe.expect(f"subscribed to {apps.ROLL}: done")
    dice.adapter.order(f"burst {NOTIFICATIONS}")
    lab.until(lambda: len(apps.values(probe, apps.ROLL)) >= NOTIFICATIONS, "the notifications arrive", 60)
    expected = [struct.pack("<I", number).hex() for number in range(NOTIFICATIONS)]
    lab.equal(apps.values(probe, apps.ROLL), expected, "the notifications")


def scenario(lab):
    dice = lab.bumble_dice()
    hci.take_up(dice.adapter.index)
    agent = lab.agent(manifest=apps.MANIFEST.format(index=dice.adapter.index))
    agent.await_state("on", 30)
    probe = apps.probe(lab, agent, DICE)
    check_discovery(probe, 517)
    for byte_count in (1, 512):
        apps.check_long_value(probe, apps.TEXT, byte_count)
    check_notifications(lab, probe, dice)

    # With the smallest packets, a long value takes many requests.
    dice.adapter.order("mtu 23")
    # The link ends in the middle of a request. The app connects again.
    probe.say(f"read {apps.END}")
    lab.until(
        lambda: any(value.startswith("failed") for value in apps.values(probe, apps.END)), "the request fails", 60)
    lab.until(
        lambda: any(line.startswith("disconnected: ") for line in probe.new_lines()), "the app knows that the link ended")
    probe.expect("connected")
    check_discovery(probe, 23)
    for byte_count in (21, 22, 23, 512):
        apps.check_long_value(probe, apps.TEXT, byte_count)
    check_notifications(lab, probe, dice)

    # The link ends in the middle of a long value.
    probe.say(f"write {apps.TEXT} 512")
    dice.adapter.drop()
    probe.expect("connected")
    check_discovery(probe, 23)
    apps.check_long_value(probe, apps.TEXT, 512)
    lab.equal(dice.adapter.connections, 3, "connections")
    lab.equal(agent.end(), 0, "the agent's exit status")
