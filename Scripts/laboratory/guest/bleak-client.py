# SPDX-License-Identifier: GPL-3.0-or-later
"""bleak-client.py: counts what the library bleak tells of advertisements until SIGTERM, and prints the number."""

import asyncio
import signal

from bleak import BleakScanner

reports = 0


def heard(device, advertisement):
    global reports
    reports += 1


async def main():
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with BleakScanner(heard, bluez={"filters": {"DuplicateData": True}}):
        print("discovers", flush=True)
        await ended.wait()
    print(reports, flush=True)


asyncio.run(main())
