// SPDX-License-Identifier: GPL-3.0-or-later
//
// bluetoothd over the system bus, through sd-bus of libsystemd. The library is loaded by csystemd_open and unloaded by
// csystemd_close, so no program that uses this needs it to start. No call blocks, and there is no thread.
//
// Interfaces: BlueZ 5.66, doc/adapter-api.txt, doc/agent-api.txt and doc/device-api.txt.

#ifndef C_SYSTEMD_H
#define C_SYSTEMD_H

#include <stdint.h>

enum {
  /// The most events that wait to be read; further ones are dropped and counted. A question among them is refused.
  CSYSTEMD_EVENTS_MAX = 4096,
  /// The most questions that wait for an answer; further ones are refused.
  CSYSTEMD_QUESTIONS_MAX = 8,
};

enum csystemd_kind {
  /// Whether bluetoothd has the name org.bluez (number 1) or not (0). The first one follows csystemd_open.
  CSYSTEMD_OWNER = 1,
  /// A call was replied to: `name` is NULL or the name of the error, `text` what it says.
  CSYSTEMD_REPLY,
  /// Properties of a device or an adapter. The bits of `known` say which.
  CSYSTEMD_DEVICE,
  CSYSTEMD_ADAPTER,
  /// The device at `path` is gone, or the adapter.
  CSYSTEMD_DEVICE_REMOVED,
  CSYSTEMD_ADAPTER_REMOVED,
  /// bluetoothd asks the agent: `name` is the method, `path` the device, `number` the digits. Answer with `token`.
  CSYSTEMD_QUESTION,
  /// bluetoothd withdraws its question, or releases the agent.
  CSYSTEMD_CANCEL,
  CSYSTEMD_RELEASE,
  /// A message of bluetoothd, or a part of one, is not as its documentation says.
  CSYSTEMD_MALFORMED,
  /// A program that is not bluetoothd sent such a message.
  CSYSTEMD_FOREIGN,
};

/// The properties that a device or an adapter has, and the values of those that are true or false.
enum {
  CSYSTEMD_PAIRED = 1 << 0,
  CSYSTEMD_CONNECTED = 1 << 1,
  CSYSTEMD_POWERED = 1 << 2,
};

struct csystemd_event {
  enum csystemd_kind kind;
  uint32_t number;
  uint64_t token;
  uint32_t known;
  uint32_t values;
  /// NULL where the message has none.
  const char *path;
  const char *adapter;
  const char *address;
  const char *address_type;
  const char *name;
  const char *text;
};

struct csystemd_bus;

/// Loads libsystemd, and begins to connect to a bus by its address, such as unix:path=/run/dbus/system_bus_socket. Returns
/// 0, or a negative error: -ELIBACC when the library cannot be loaded.
int csystemd_open(const char *address, struct csystemd_bus **bus);

/// Closes the connection, and unloads the library. bluetoothd forgets the agent and its pairing.
void csystemd_close(struct csystemd_bus *bus);

/// The descriptor to wait for, and the conditions (POLLIN, POLLOUT) at this moment; or a negative error.
int csystemd_descriptor(struct csystemd_bus *bus);
int csystemd_conditions(struct csystemd_bus *bus);

/// When csystemd_process is due at the latest, in microseconds of CLOCK_MONOTONIC; -1 for never.
int64_t csystemd_deadline(struct csystemd_bus *bus);

/// Sends and receives what can be without waiting. Returns 1 if more is to be done at once, 0 if not, or a negative
/// error when the connection is lost.
int csystemd_process(struct csystemd_bus *bus);

/// Returns the oldest event, which is valid until the next call of this function; NULL when there is none.
const struct csystemd_event *csystemd_next_event(struct csystemd_bus *bus);

/// Whether an event waits to be read: 1 or 0.
int csystemd_has_event(const struct csystemd_bus *bus);

/// How many events were dropped because CSYSTEMD_EVENTS_MAX waited.
uint32_t csystemd_dropped(const struct csystemd_bus *bus);

// Calls of bluetoothd. Each returns 0 and the token of its reply, or a negative error. No reply in `milliseconds` is a
// reply with an error.

/// Calls a method without arguments, or with an object's path.
int csystemd_call(
    struct csystemd_bus *bus, const char *path, const char *interface, const char *method, const char *argument,
    uint32_t milliseconds, uint64_t *token);

/// Reads all devices and adapters: an event for each, and then the reply.
int csystemd_list(struct csystemd_bus *bus, uint32_t milliseconds, uint64_t *token);

/// Registers this connection's agent, which has the input and output of this name.
int csystemd_register_agent(
    struct csystemd_bus *bus, const char *capability, uint32_t milliseconds, uint64_t *token);
int csystemd_unregister_agent(struct csystemd_bus *bus, uint32_t milliseconds, uint64_t *token);

/// Asks for Low Energy devices only.
int csystemd_set_filter(struct csystemd_bus *bus, const char *adapter, uint32_t milliseconds, uint64_t *token);

/// Sets the property Trusted of a device.
int csystemd_trust(struct csystemd_bus *bus, const char *device, uint32_t milliseconds, uint64_t *token);

enum csystemd_answer { CSYSTEMD_REFUSE = 0, CSYSTEMD_ACCEPT, CSYSTEMD_DIGITS };

/// Replies to a question, once; `digits` for CSYSTEMD_DIGITS. Returns 0, or a negative error: -ENOENT when there is no such
/// question.
int csystemd_reply(struct csystemd_bus *bus, uint64_t token, enum csystemd_answer answer, uint32_t digits);

/// Begins or ends to follow the properties of all devices. Devices that come and go are always followed.
int csystemd_follow_properties(struct csystemd_bus *bus, int is_on);

#endif
