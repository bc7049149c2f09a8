# SPDX-License-Identifier: GPL-3.0-or-later
"""A keyboard with HID over GATT: an input device through bluetoothd, and refused by name without it."""

import pathlib

import bluetoothd
import bonds
import hci
from sessions import AppSession, Operator

PATIENCE = 300
# bluetoothd's name for such devices.
INPUT = 'Name="bluez-hog-device"'
OPTIONS = '"bluetoothPairingLE", "bluetoothHID"'


def has_input():
    return INPUT in pathlib.Path("/proc/bus/input/devices").read_text()


def scenario(lab):
    peer = lab.peer("--hid")
    bluetoothd.forget_all()
    agent = bonds.start_agent(lab, peer, options=OPTIONS)
    app, operator = AppSession(agent), Operator(agent)
    app.call("ShowPicker")
    refusal = operator.choose(operator.request_of("lights"), bonds.addresses(peer)).refusal()
    lab.check("bluetoothd" in refusal.parameters["reason"], f"the reason without bluetoothd: {refusal.parameters}")
    lab.equal(bonds.listed(agent), [], "the app's accessories")
    lab.check("asked to pair" not in peer.log_text(), "the keyboard was not paired")
    lab.equal(agent.end(), 0, "the agent's exit status")

    daemon = lab.bluetoothd()
    lab.until(lambda: hci.is_up(peer.index), "bluetoothd powers the adapter")
    agent = bonds.start_agent(lab, peer, options=OPTIONS)
    app, operator = AppSession(agent), Operator(agent)
    peer.order("rotate")
    lab.check(not has_input(), "there is no such input device yet")
    bonds.pair(lab, peer, agent, app, operator)
    lab.until(has_input, "the keyboard is an input device", 20)
    lab.figure("input device", INPUT.split('"')[1])
    agent.tool("remove", app.identifier, "--yes")
    lab.until(lambda: not daemon.bonded() and not has_input(), "bond and input device are gone", 20)
    lab.equal(agent.end(), 0, "the agent's exit status")
