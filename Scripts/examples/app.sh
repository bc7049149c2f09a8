#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
#
# app.sh SOCKET [APP]: does once, in a shell, what app.py does: opens a session, shows a picker, waits for an accessory,
# and resolves it. $VARLINK is the command line of PyPI's varlink, by default "python3 -m varlink.cli".
set -eu
# The events are read while the stream runs.
export PYTHONUNBUFFERED=1
interface=unix:$1/io.accessoryd.Session
folder=$(mktemp -d)
trap 'kill "$stream" 2>/dev/null || true; rm -r "$folder"' EXIT

call() { ${VARLINK:-python3 -m varlink.cli} call "$@"; }

# The last value of a key in the stream.
last() { tr -d '\n' <"$folder/events" | sed -n "s/.*\"$1\": \"\([^\"]*\)\".*/\1/p"; }

# Waits for a value of a key in the stream, and prints the last one; ends with what the agent says about an error.
value() {
  while grep -qs '^State:.[^Z]' "/proc/$stream/status"; do
    found=$(last "$1")
    [ -z "$found" ] || break
    [ -z "$(last cure)" ] || { echo "$(last reason); $(last cure)" >&2; exit 1; }
    sleep 0.1
  done
  echo "${found:?the session has ended}"
}

app={}
[ $# -lt 2 ] || app="{\"app\": \"$2\"}"
call --more "$interface.Activate" "$app" >"$folder/events" &
stream=$!
token=$(value session)
call "$interface.ShowPicker" "{\"session\": \"$token\"}"
accessory=$(value identifier)
call --more "$interface.List" "{\"session\": \"$token\"}"
call "$interface.Resolve" "{\"session\": \"$token\", \"accessory\": \"$accessory\"}"
call "$interface.Invalidate" "{\"session\": \"$token\"}"
