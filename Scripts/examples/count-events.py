#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""count-events.py SERVER FILE: counts the events of all gateways in a stream of NATS, each exactly once (needs nats-py).

FILE has the counts together with the place in the stream, so that a kill loses nothing and counts nothing twice. A run of a
gateway is complete when end = events + passed (not for this bridge) + missed (overwritten before they were read).
"""
import asyncio, json, nats, nats.js.api as api, os, pathlib, sys  # noqa: E401


def count(runs, line):
    run = runs.setdefault(f"{line['gateway']}/{line['epoch']}", {"events": 0, "passed": 0, "missed": 0, "end": 0})
    run["events"] += "event" in line
    run["passed"] += line.get("passed", 0)
    run["missed"] += line.get("missed", 0)
    run["end"] = max(run["end"], line["sequence"] + line.get("missed", int("event" in line)))


async def main(server, path):
    state = json.loads(path.read_text()) if path.exists() else {"next": 1, "runs": {}}
    stream = (await nats.connect(server, max_reconnect_attempts=-1)).jetstream()
    messages = await stream.subscribe("acc.>", stream="ACCESSORIES", ordered_consumer=True, config=api.ConsumerConfig(
        deliver_policy=api.DeliverPolicy.BY_START_SEQUENCE, opt_start_seq=state["next"]))
    async for message in messages.messages:
        count(state["runs"], json.loads(message.data))
        state["next"] = message.metadata.sequence.stream + 1
        pathlib.Path(f"{path}.new").write_text(json.dumps(state))
        os.replace(f"{path}.new", path)

asyncio.run(main(sys.argv[1], pathlib.Path(sys.argv[2])))
