#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""reports.py SOCKET: prints the radio's reports as the agent receives them. Config/README.md has the layout."""
import json
import socket
import struct
import sys

agent = socket.socket(socket.AF_UNIX)
agent.connect(sys.argv[1])
agent.sendall(json.dumps({"method": "io.accessoryd.Gateway.WatchReports"}).encode() + b"\0")
reply, descriptors, _, _ = socket.recv_fds(agent, 65536, 1)
answer = json.loads(reply.rstrip(b"\0"))
if "error" in answer:
    sys.exit(f"{answer['error']}: {answer['parameters']}")
reports, missed = socket.socket(fileno=descriptors[0]), 0
reports.setblocking(True)
while message := reports.recv(65536):
    _, kind, count, _, passed, missed_now = struct.unpack_from("<BBHIQQ", message)
    if missed_now > missed:
        print(f"{missed_now - missed} reports were missed", flush=True)
    missed, offset = missed_now, 24
    if kind == 1:
        print("the radio is", ("on", "off", "recovering", "absent")[message[24]], flush=True)
        continue
    for _ in range(count):
        length, _, _, flags, _, time, address = struct.unpack_from("<HBBHHQ6s", message, offset)
        rssi, data = struct.unpack_from("b", message, offset + 33)[0], message[offset + 34:offset + length]
        print(f"{time / 1e6:.3f} {address[::-1].hex(':').upper()} {rssi} dBm {data.hex()}", flush=True)
        offset += length
