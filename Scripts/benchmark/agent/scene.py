# SPDX-License-Identifier: GPL-3.0-or-later
"""The devices, and the manifest that looks for some of them."""

import json
import pwd
import random

from controller import report

TARGETS = 12
DESCRIPTORS = 100
HEAD = """schema = 1
[gateway]
board = "virtual"
drain-interval-ms = {interval}
[app.benchmark]
user = "daemon"
supports = ["Bluetooth"]
bluetooth-company-identifiers = [{companies}]
bluetooth-services = [{services}]
"""
ITEM = """[[app.benchmark.item]]
id = "item-{index}"
name = "Item {index}"
descriptor.{key} = "{value}"
descriptor.bluetooth-{data}-blob = "{blob}"
descriptor.bluetooth-{data}-mask = "{mask}"
"""


def registry(accessories):
    """The lines of an export: this many accessories of the app, none of them in sight."""
    yield json.dumps({"registry": 6, "rows": 2 * accessories + 1})
    yield json.dumps({"row": "account", "number": 1, "app": "benchmark", "user": pwd.getpwnam("daemon").pw_uid})
    for number in range(1, accessories + 1):
        yield json.dumps({"row": "device", "number": number, "address": f"c4a1ffff{number:04x}", "addressType": 1,
                          "displayName": f"Lamp {number}", "identityDurable": 1, "bond": "none"})
    for number in range(1, accessories + 1):
        yield json.dumps({"row": "accessory", "number": number, "identifier": f"{number:032x}", "app": "benchmark",
                          "item": "item-0", "device": number, "bluetoothIdentifier": f"{number << 64:032x}", "state": 20,
                          "descriptorCompanyIdentifier": 3822, "descriptorRange": 0})


def manifest(interval=20):
    """A hundred descriptors: the first find the targets, the others look for payloads that never come."""
    companies = [company(index) for index in range(3)]
    services, items = [], []
    for index in range(DESCRIPTORS):
        blob, mask = f"a5{index:02x}10", "fffff0"
        key, value, data = "bluetooth-company-identifier", company(index), "manufacturer-data"
        if index >= TARGETS and index % 2:
            key, value, data = "bluetooth-service-uuid", f"{0x2000 + index:04X}", "service-data"
            services.append(value)
        elif index >= TARGETS:
            value = f"0x{0x2000 + index:04X}"
            companies.append(value)
        items.append(ITEM.format(index=index, key=key, value=value, data=data, blob=blob, mask=mask))
    head = HEAD.format(interval=interval, companies=quoted(companies), services=quoted(services))
    return head + "".join(items)


def quoted(values):
    return ", ".join(f'"{value}"' for value in values)


def company(index):
    return f"0x{0x0EEE + index % 3:04X}"


def target(index, state=0):
    """Manufacturer data that descriptor `index` finds; `state` does not matter to it."""
    kind = index % TARGETS
    company_bytes = (0x0EEE + kind % 3).to_bytes(2, "little")
    return flags() + structure(0xFF, company_bytes + bytes([0xA5, kind, 0x10, state]))


def unknown(index, long=False):
    """A payload of 31 bytes, or of 200, that no descriptor finds."""
    chance = random.Random(index)
    return flags() + structure(0xFF, b"\x4c\x00" + chance.randbytes(193 if long else 24))


def crowd(count, targets, state=0, long=False):
    """One report each of `count` devices, of which `targets` are targets."""
    for index in range(count):
        is_target = index * targets // count != (index + 1) * targets // count
        data = target(index, state) if is_target else unknown(index, long and index % 10 == 0)
        yield report(address(index), data, -50 - index % 40)


def address(index):
    """Static random, as a number."""
    return 0xC4A1_0000_0000 + index


def text(number):
    return ":".join(f"{byte:02X}" for byte in number.to_bytes(6, "big"))


def flags():
    return structure(0x01, b"\x06")


def structure(kind, data):
    return bytes([len(data) + 1, kind]) + data
