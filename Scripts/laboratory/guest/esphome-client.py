# SPDX-License-Identifier: GPL-3.0-or-later
"""esphome-client.py KEY DEVICE TEXT ROLL END: Home Assistant's Bluetooth (bleak-esphome, habluetooth), with accessory-esphome
of this machine as its only proxy, connects to a device, and does with it what a scenario shows. TEXT, ROLL and END are
UUIDs of characteristics. Prints a line for each step; reads a line before it goes on where the scenario has its part."""

import asyncio
import sys

sys.path.insert(0, "/mnt/esphome")
import habluetooth  # noqa: E402
from aioesphomeapi import APIClient  # noqa: E402
from bleak_esphome import connect_scanner  # noqa: E402
from habluetooth.wrappers import HaBleakClientWrapper  # noqa: E402

KEY, DEVICE, TEXT, ROLL, END = sys.argv[1:]


def say(*words):
    print(*words, flush=True)


async def line():
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.readline)


async def until(condition):
    while not (value := condition()):
        await asyncio.sleep(0.05)
    return value


async def connected(manager):
    """Connects, and returns the client and what becomes true when the connection ends."""
    device = await until(lambda: manager.async_ble_device_from_address(DEVICE, True))
    ended = asyncio.Event()
    client = HaBleakClientWrapper(device, lambda _: ended.set())
    await client.connect(timeout=60)
    say("connected, MTU", client.mtu_size)
    return client, ended


async def use(client):
    """Services, values of each length, and as many notifications as the device sends."""
    for service in client.services:
        say("service", service.uuid, *(f"{part.uuid}" for part in service.characteristics))
    for count in (1, 23, 512):
        value = bytes(number & 0xFF for number in range(count))
        await client.write_gatt_char(TEXT, value, response=True)
        assert bytes(await client.read_gatt_char(TEXT)) == value
        say("value of", count)
    rolls = asyncio.Queue()
    await client.start_notify(ROLL, lambda _, value: rolls.put_nowait(int.from_bytes(value, "little")))
    say("notified")
    numbers = [await asyncio.wait_for(rolls.get(), 120) for _ in range(1000)]
    say("1000 notifications in order", numbers == list(range(1000)))
    await client.stop_notify(ROLL)


async def main():
    manager = habluetooth.BluetoothManager()
    habluetooth.set_manager(manager)
    await manager.async_setup()
    api = APIClient("127.0.0.1", 6053, None, noise_psk=KEY)
    await api.connect(login=True)
    info = await api.device_info()
    say("features", info.bluetooth_proxy_feature_flags)
    scanner = connect_scanner(api, info, True).scanner
    scanner.async_setup()
    manager.async_register_scanner(scanner)

    client, _ = await connected(manager)
    await use(client)
    await client.disconnect()
    say("disconnected")
    await line()

    client, ended = await connected(manager)
    say("waits for the end")
    await asyncio.wait_for(ended.wait(), 60)
    say("the link is lost")
    await line()

    client, ended = await connected(manager)
    try:
        # The device ends the connection in the middle of this.
        await client.read_gatt_char(END)
    except Exception as error:
        say("failed:", type(error).__name__)
    await asyncio.wait_for(ended.wait(), 60)
    say("ended by the device")
    await line()

    device = manager.async_ble_device_from_address(DEVICE, True)
    try:
        await HaBleakClientWrapper(device).connect(timeout=60)
    except Exception as error:
        say("out of reach:", type(error).__name__)
    await api.disconnect(force=True)


asyncio.run(main())
