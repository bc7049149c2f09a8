#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""app.py SOCKET [APP [ACCESSORY]]: shows a picker while it has no accessory, or resolves ACCESSORY; prints events."""
import sys
import varlink  # of PyPI
sys.excepthook = lambda kind, error, trace: print(f"{kind.__name__}: {error}", file=sys.stderr)


def sentence(error):
    """What the agent says about an error, and what to do."""
    return f"{error['reason']}; {error['cure']}"


socket, app, wanted = (sys.argv[1:] + [None, None])[:3]
gateway = varlink.Client.new_with_address(f"unix:{socket}")
# A connection carries one call at a time, so that the stream of events needs its own.
with gateway.open("io.accessoryd.Session") as stream, gateway.open("io.accessoryd.Session") as session:
    for reply in stream.Activate(app, _more=True):
        token = reply.get("session") or token
        event = reply.get("event")
        accessory, error = ((event or {}).get(key) for key in ("accessory", "error"))
        if not event:
            continue
        what = accessory["displayName"] if accessory else error and sentence(error)
        print(event["event"] + (f": {what}" if what else ""), flush=True)
        try:
            if event["event"] in ("activated", "accessoryRemoved"):
                if wanted:
                    session.Resolve(token, wanted)
                elif not [True for found in session.List(token, _more=True) if found.get("accessory")]:
                    session.ShowPicker(token)
            elif event["event"] == "accessoryAdded":
                print("it is at", session.Resolve(token, accessory["identifier"])["address"], flush=True)
                with gateway.open("io.accessoryd.Session") as air:
                    said = (heard.get("advertisement") for heard in air.WatchAdvertisements(token, _more=True))
                    said = next(filter(None, said))
                    values = [" ".join(map(str, value.values())) for value in said["fields"].get("values", [])]
                    print("it says", ", ".join(values) or said["data"], flush=True)
        except varlink.VarlinkError as refusal:
            print(f"{refusal.error().split('.')[-1]}: {sentence(refusal.parameters())}", flush=True)
