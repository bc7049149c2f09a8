# SPDX-License-Identifier: GPL-3.0-or-later
"""What Scripts/fleet reads: every message of the stream, and every topic of the broker."""
import asyncio
import collections
import json
import threading

import nats
import nats.js.api
import paho.mqtt.client as paho


class Run:
    """What has come of a run of a gateway's agent."""

    def __init__(self):
        self.events, self.passed, self.missed, self.doubles = set(), set(), set(), 0
        # Where the count begins, as the first reset says, and up to where the next one says that it is complete.
        self.first = self.complete_until = None

    def end(self):
        return max(self.events | self.missed, default=-1) + 1


class Runs:
    """Runs by gateway and epoch."""

    def __init__(self):
        self.by_key, self.lock = collections.defaultdict(Run), threading.Lock()

    def note(self, kind, line):
        with self.lock:
            run = self.by_key[line["gateway"], line["epoch"]]
            sequence = line["sequence"]
            if kind == "event":
                run.doubles += sequence in run.events
                run.events.add(sequence)
                run.passed.update(range(sequence - line.get("passed", 0), sequence))
            elif kind == "missed":
                run.missed.update(range(sequence, sequence + line["missed"]))
            else:
                run.first = sequence
                if last := line.get("last"):
                    before = self.by_key[line["gateway"], last["epoch"]]
                    before.complete_until = max(before.complete_until or 0, last["sequence"])

    def copy(self):
        with self.lock:
            return dict(self.by_key)


class StreamReader:
    """Makes the stream of the fleet, and reads it by a lasting consumer."""

    def __init__(self, urls):
        self.urls, self.read_runs, self.lock = urls, Runs(), threading.Lock()
        # By the second in which the stream stored them: how many, and their runs with the time from the clock's beginning.
        self.counts, self.spans = collections.Counter(), collections.defaultdict(list)
        # When the clock of an agent's run began, by gateway and epoch.
        self.clocks = {}
        self.sequences, self.bytes, self.identifiers = set(), 0, collections.Counter()
        self.is_counting = True
        self.loop = asyncio.new_event_loop()
        threading.Thread(target=self.loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self.connect(), self.loop).result(60)
        asyncio.run_coroutine_threadsafe(self.read(), self.loop)

    async def ignore(self, error):
        pass

    async def connect(self):
        self.client = await nats.connect(self.urls, max_reconnect_attempts=-1, reconnect_time_wait=0.5, error_cb=self.ignore)
        self.stream = self.client.jetstream(timeout=20)
        for attempt in range(60):
            try:
                # The duplicate window is in seconds.
                await self.stream.add_stream(name="ACCESSORIES", subjects=["acc.*.event", "acc.*.reset", "acc.*.missed"],
                                             num_replicas=3, duplicate_window=3600)
                return
            except Exception:
                # The cluster has no leader yet.
                await asyncio.sleep(1)
        raise AssertionError("the cluster makes no stream")

    def burst(self, count, window=500):
        """Stores a message on each of `count` subjects, as fast as one client can. Returns messages a second."""
        return asyncio.run_coroutine_threadsafe(self.publish_burst(count, window), self.loop).result(600)

    async def publish_burst(self, count, window):
        self.is_counting = False
        payload = b"{" + b" " * 398 + b"}"
        begin = self.loop.time()
        for start in range(0, count, window):
            await asyncio.gather(*(self.stream.publish(f"acc.load{number}.event", payload, timeout=60)
                                   for number in range(start, min(start + window, count))))
        return count / (self.loop.time() - begin)

    async def read(self):
        subscription = None
        while self.is_counting:
            try:
                if not subscription:
                    subscription = await self.stream.pull_subscribe(
                        "acc.>", "fleet", stream="ACCESSORIES", config=nats.js.api.ConsumerConfig(
                            ack_policy=nats.js.api.AckPolicy.ALL, max_ack_pending=20000))
                messages = await subscription.fetch(500, timeout=1)
                for message in messages:
                    self.note(message)
                await messages[-1].ack()
            except nats.errors.TimeoutError:
                pass
            except Exception:
                subscription = None
                await asyncio.sleep(0.5)

    def note(self, message):
        sequence = message.metadata.sequence.stream
        with self.lock:
            if sequence in self.sequences:
                # It was delivered before: the acknowledgement was lost.
                return
            self.sequences.add(sequence)
            line, kind = json.loads(message.data), message.subject.rsplit(".", 1)[1]
            self.identifiers[message.header["Nats-Msg-Id"]] += 1
            self.bytes += len(message.data) + sum(len(name) + len(value) + 4 for name, value in message.header.items())
            stored = message.metadata.timestamp.timestamp()
            self.counts[int(stored)] += 1
            if kind == "event":
                self.spans[int(stored)].append(((line["gateway"], line["epoch"]), stored - line["time"]))
        self.read_runs.note(kind, line)

    def runs(self):
        return self.read_runs.copy()

    def gateways(self):
        return {gateway for gateway, _ in self.runs()}

    def doubles(self):
        return sum(count - 1 for count in self.identifiers.values())

    def rate(self):
        return sum(self.counts.values()) / (max(self.counts) - min(self.counts) + 1)

    def bytes_each(self):
        return self.bytes / len(self.sequences)

    def lags_of(self, second):
        """How late after its event a message was stored."""
        return [max(0, span - self.clocks[run]) for run, span in self.spans[second] if run in self.clocks]

    def lags(self):
        return [lag for second in list(self.spans) for lag in self.lags_of(second)]

    def seconds(self):
        """For each second: how many messages were stored, and how late their events were."""
        return {second: (self.counts[second], self.lags_of(second)) for second in range(min(self.counts), max(self.counts) + 1)}


class TopicReader:
    """Reads the events of a broker in a lasting session."""

    def __init__(self, port):
        self.read_runs = Runs()
        self.client = paho.Client(paho.CallbackAPIVersion.VERSION2, "fleet", clean_session=False)
        self.client.reconnect_delay_set(1, 1)
        self.client.on_message = self.note
        self.client.on_connect = lambda client, *_: client.subscribe(
            [(f"accessoryd/+/{kind}", 1) for kind in ("event", "reset", "missed")])
        self.client.connect("127.0.0.1", port)
        self.client.loop_start()

    def note(self, _, __, message):
        self.read_runs.note(message.topic.rsplit("/", 1)[1], json.loads(message.payload))

    def runs(self):
        return self.read_runs.copy()

    def gateways(self):
        return {gateway for gateway, _ in self.runs()}

    def doubles(self):
        return sum(run.doubles for run in self.runs().values())
