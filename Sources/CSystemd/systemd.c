// SPDX-License-Identifier: GPL-3.0-or-later

#define _GNU_SOURCE
#include "library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char *const bluez = "org.bluez";
static const char *const agent_path = "/io/accessoryd/agent";
static const char *const agent_interface = "org.bluez.Agent1";
static const char *const properties_interface = "org.freedesktop.DBus.Properties";

/// A longer text of a message is malformed. D-Bus has no such limit for paths.
enum { TEXT_MAX = 255 };

/// The most messages that one csystemd_process handles.
enum { MESSAGES_MAX = 64 };

struct entry {
  struct entry *next;
  struct csystemd_event event;
};

struct question {
  sd_bus_message *message;
  uint64_t token;
};

struct csystemd_bus {
  struct library library;
  sd_bus *connection;
  /// The unique name of bluetoothd; empty while there is none.
  char owner[TEXT_MAX + 1];
  sd_bus_slot *properties;
  struct entry *first, *last;
  /// The event that was read last.
  struct entry *current;
  uint32_t count, dropped;
  struct question questions[CSYSTEMD_QUESTIONS_MAX];
  uint64_t last_question;
};

// Events

static void release(struct entry *entry) {
  if (!entry) return;
  const char *texts[] = {entry->event.path,         entry->event.adapter, entry->event.address,
                         entry->event.address_type, entry->event.name,    entry->event.text};
  for (size_t index = 0; index < sizeof texts / sizeof *texts; index++) free((void *)texts[index]);
  free(entry);
}

/// Queues an event, whose texts are copied. Returns 0 if it is dropped because too many wait.
static int append(struct csystemd_bus *bus, const struct csystemd_event *event) {
  struct entry *entry = bus->count < CSYSTEMD_EVENTS_MAX ? calloc(1, sizeof *entry) : NULL;
  if (!entry) {
    bus->dropped++;
    return 0;
  }
  entry->event = *event;
  const char **texts[] = {&entry->event.path,         &entry->event.adapter, &entry->event.address,
                          &entry->event.address_type, &entry->event.name,    &entry->event.text};
  for (size_t index = 0; index < sizeof texts / sizeof *texts; index++)
    if (*texts[index]) *texts[index] = strndup(*texts[index], TEXT_MAX);
  if (bus->last)
    bus->last->next = entry;
  else
    bus->first = entry;
  bus->last = entry;
  bus->count++;
  return 1;
}

static void append_kind(struct csystemd_bus *bus, enum csystemd_kind kind) {
  struct csystemd_event event = {.kind = kind};
  append(bus, &event);
}

const struct csystemd_event *csystemd_next_event(struct csystemd_bus *bus) {
  release(bus->current);
  bus->current = bus->first;
  if (!bus->first) return NULL;
  bus->first = bus->first->next;
  if (!bus->first) bus->last = NULL;
  bus->count--;
  return &bus->current->event;
}

int csystemd_has_event(const struct csystemd_bus *bus) { return bus->first != NULL; }

uint32_t csystemd_dropped(const struct csystemd_bus *bus) { return bus->dropped; }

// Messages

/// Whether bluetoothd sent the message: any program can send a signal or a call to this connection alone.
static int is_from_owner(struct csystemd_bus *bus, sd_bus_message *message) {
  const char *sender = bus->library.sd_bus_message_get_sender(message);
  if (sender && bus->owner[0] && !strcmp(sender, bus->owner)) return 1;
  append_kind(bus, CSYSTEMD_FOREIGN);
  return 0;
}

/// Reads the value of a property into `value`, unless it is of another type: then it is skipped and counted.
static int read_value(struct csystemd_bus *bus, sd_bus_message *message, const char *type, void *value) {
  struct library *library = &bus->library;
  const char *contents;
  char outer;
  int result = library->sd_bus_message_peek_type(message, &outer, &contents);
  if (result < 0) return result;
  if (result > 0 && !strcmp(contents, type)) return library->sd_bus_message_read(message, "v", type, value);
  append_kind(bus, CSYSTEMD_MALFORMED);
  return library->sd_bus_message_skip(message, "v");
}

/// Reads one property into an event.
static int read_property(struct csystemd_bus *bus, sd_bus_message *message, struct csystemd_event *event) {
  const struct {
    const char *name, *type;
    const char **text;
  } texts[] = {{"Address", "s", &event->address}, {"AddressType", "s", &event->address_type},
               {"Adapter", "o", &event->adapter}};
  static const struct {
    const char *name;
    uint32_t flag;
  } flags[] = {{"Paired", CSYSTEMD_PAIRED}, {"Connected", CSYSTEMD_CONNECTED}, {"Powered", CSYSTEMD_POWERED}};
  const char *name;
  int result = bus->library.sd_bus_message_read(message, "s", &name);
  if (result < 0) return result;
  for (size_t index = 0; index < sizeof texts / sizeof *texts; index++)
    if (!strcmp(name, texts[index].name)) return read_value(bus, message, texts[index].type, texts[index].text);
  for (size_t index = 0; index < sizeof flags / sizeof *flags; index++) {
    if (strcmp(name, flags[index].name)) continue;
    int value = -1;
    result = read_value(bus, message, "b", &value);
    if (value >= 0) event->known |= flags[index].flag;
    if (value > 0) event->values |= flags[index].flag;
    return result;
  }
  return bus->library.sd_bus_message_skip(message, "v");
}

/// Reads a{sv} into an event. Returns a negative error if it ends before.
static int read_properties(struct csystemd_bus *bus, sd_bus_message *message, struct csystemd_event *event) {
  struct library *library = &bus->library;
  int result = library->sd_bus_message_enter_container(message, 'a', "{sv}");
  if (result < 0) return result;
  while ((result = library->sd_bus_message_enter_container(message, 'e', "sv")) > 0) {
    if ((result = read_property(bus, message, event)) < 0) return result;
    if ((result = library->sd_bus_message_exit_container(message)) < 0) return result;
  }
  return result < 0 ? result : library->sd_bus_message_exit_container(message);
}

static enum csystemd_kind kind_of(const char *interface, int is_removed) {
  if (!strcmp(interface, "org.bluez.Device1")) return is_removed ? CSYSTEMD_DEVICE_REMOVED : CSYSTEMD_DEVICE;
  if (!strcmp(interface, "org.bluez.Adapter1")) return is_removed ? CSYSTEMD_ADAPTER_REMOVED : CSYSTEMD_ADAPTER;
  return 0;
}

/// Reads an object and its interfaces, oa{sa{sv}}.
static int read_object(struct csystemd_bus *bus, sd_bus_message *message) {
  struct library *library = &bus->library;
  const char *path, *interface;
  int result = library->sd_bus_message_read(message, "o", &path);
  if (result < 0) return result;
  if ((result = library->sd_bus_message_enter_container(message, 'a', "{sa{sv}}")) < 0) return result;
  while ((result = library->sd_bus_message_enter_container(message, 'e', "sa{sv}")) > 0) {
    if ((result = library->sd_bus_message_read(message, "s", &interface)) < 0) return result;
    struct csystemd_event event = {.kind = kind_of(interface, 0), .path = path};
    if (!event.kind || strlen(path) > TEXT_MAX) {
      if ((result = library->sd_bus_message_skip(message, "a{sv}")) < 0) return result;
    } else {
      if ((result = read_properties(bus, message, &event)) < 0) return result;
      append(bus, &event);
    }
    if ((result = library->sd_bus_message_exit_container(message)) < 0) return result;
  }
  return result < 0 ? result : library->sd_bus_message_exit_container(message);
}

// Signals

/// Forgets the questions that wait for an answer: bluetoothd wants none any more.
static void forget_questions(struct csystemd_bus *bus) {
  for (int index = 0; index < CSYSTEMD_QUESTIONS_MAX; index++) {
    if (bus->questions[index].message) bus->library.sd_bus_message_unref(bus->questions[index].message);
    bus->questions[index].message = NULL;
  }
}

/// Another program has the name, or none. The questions of the one before are void.
static void set_owner(struct csystemd_bus *bus, const char *owner) {
  struct csystemd_event event = {.kind = CSYSTEMD_OWNER};
  if (strlen(owner) > TEXT_MAX) owner = "";
  if (strcmp(bus->owner, owner)) {
    forget_questions(bus);
    // One bluetoothd may follow another directly: that is an end, too.
    if (bus->owner[0] && owner[0]) append(bus, &event);
  }
  strcpy(bus->owner, owner);
  event.number = owner[0] != 0;
  append(bus, &event);
}

static int owner_changed(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  const char *name, *old, *new;
  (void)error;
  const char *sender = bus->library.sd_bus_message_get_sender(message);
  if (!sender || strcmp(sender, "org.freedesktop.DBus")) return 0;
  if (bus->library.sd_bus_message_read(message, "sss", &name, &old, &new) < 0)
    append_kind(bus, CSYSTEMD_MALFORMED);
  else if (!strcmp(name, bluez))
    set_owner(bus, new);
  return 0;
}

static int owner_read(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  const char *owner = "";
  (void)error;
  if (!bus->library.sd_bus_message_is_method_error(message, NULL) &&
      bus->library.sd_bus_message_read(message, "s", &owner) < 0)
    append_kind(bus, CSYSTEMD_MALFORMED);
  set_owner(bus, owner);
  return 0;
}

static int interfaces_added(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  (void)error;
  if (is_from_owner(bus, message) && read_object(bus, message) < 0) append_kind(bus, CSYSTEMD_MALFORMED);
  return 0;
}

static int interfaces_removed(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  struct library *library = &bus->library;
  const char *path, *interface;
  (void)error;
  if (!is_from_owner(bus, message)) return 0;
  int result = library->sd_bus_message_read(message, "o", &path);
  if (result >= 0) result = library->sd_bus_message_enter_container(message, 'a', "s");
  while (result >= 0 && (result = library->sd_bus_message_read(message, "s", &interface)) > 0) {
    struct csystemd_event event = {.kind = kind_of(interface, 1), .path = path};
    if (event.kind && strlen(path) <= TEXT_MAX) append(bus, &event);
  }
  if (result < 0) append_kind(bus, CSYSTEMD_MALFORMED);
  return 0;
}

static int properties_changed(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  const char *interface;
  (void)error;
  if (!is_from_owner(bus, message)) return 0;
  struct csystemd_event event = {.path = bus->library.sd_bus_message_get_path(message)};
  if (bus->library.sd_bus_message_read(message, "s", &interface) < 0) goto malformed;
  event.kind = kind_of(interface, 0);
  if (!event.kind || strlen(event.path) > TEXT_MAX) return 0;
  if (read_properties(bus, message, &event) < 0) goto malformed;
  // Signals about nothing that is followed here, such as the signal strength, are frequent.
  if (event.known || event.address || event.address_type || event.adapter) append(bus, &event);
  return 0;
malformed:
  append_kind(bus, CSYSTEMD_MALFORMED);
  return 0;
}

// The agent

/// Returns the number of the question that now waits for an answer; 0 if too many wait.
static uint64_t keep_question(struct csystemd_bus *bus, sd_bus_message *message) {
  for (int index = 0; index < CSYSTEMD_QUESTIONS_MAX; index++) {
    struct question *question = &bus->questions[index];
    if (question->message) continue;
    *question = (struct question){bus->library.sd_bus_message_ref(message), ++bus->last_question};
    return question->token;
  }
  return 0;
}

/// Reads the arguments of a method that asks. Returns 0 for another method, or a negative error.
static int read_question(struct csystemd_bus *bus, sd_bus_message *message, struct csystemd_event *event) {
  struct library *library = &bus->library;
  static const struct {
    const char *method, *signature;
  } questions[] = {
      {"RequestPinCode", "o"},  {"DisplayPinCode", "os"},       {"RequestPasskey", "o"},
      {"DisplayPasskey", "ouq"}, {"RequestConfirmation", "ou"}, {"RequestAuthorization", "o"},
      {"AuthorizeService", "os"},
  };
  for (size_t index = 0; index < sizeof questions / sizeof *questions; index++) {
    const char *signature = questions[index].signature;
    if (strcmp(event->name, questions[index].method)) continue;
    if (!library->sd_bus_message_has_signature(message, signature)) return -EBADMSG;
    int result = library->sd_bus_message_read(message, "o", &event->path);
    if (result >= 0 && signature[1] == 'u') result = library->sd_bus_message_read(message, "u", &event->number);
    if (result >= 0 && strlen(event->path) > TEXT_MAX) result = -EBADMSG;
    return result < 0 ? result : 1;
  }
  return 0;
}

static int refuse(struct csystemd_bus *bus, sd_bus_message *message) {
  return bus->library.sd_bus_reply_method_errorf(message, "org.bluez.Error.Rejected", "%s", "refused");
}

static int agent_called(sd_bus_message *message, void *context, sd_bus_error *error) {
  struct csystemd_bus *bus = context;
  struct library *library = &bus->library;
  (void)error;
  if (!library->sd_bus_message_is_method_call(message, agent_interface, NULL)) return 0;
  if (!is_from_owner(bus, message)) return refuse(bus, message);
  struct csystemd_event event = {.kind = CSYSTEMD_QUESTION, .name = library->sd_bus_message_get_member(message)};
  if (!strcmp(event.name, "Cancel") || !strcmp(event.name, "Release")) {
    forget_questions(bus);
    append_kind(bus, strcmp(event.name, "Cancel") ? CSYSTEMD_RELEASE : CSYSTEMD_CANCEL);
    return library->sd_bus_reply_method_return(message, "");
  }
  int result = read_question(bus, message, &event);
  // Another method gets the library's own error.
  if (result == 0) return 0;
  if (result < 0) append_kind(bus, CSYSTEMD_MALFORMED);
  if (result < 0 || !(event.token = keep_question(bus, message))) return refuse(bus, message);
  // A question that is dropped is never answered by the caller.
  if (!append(bus, &event)) csystemd_reply(bus, event.token, CSYSTEMD_REFUSE, 0);
  return 1;
}

int csystemd_reply(struct csystemd_bus *bus, uint64_t token, enum csystemd_answer answer, uint32_t digits) {
  for (int index = 0; index < CSYSTEMD_QUESTIONS_MAX; index++) {
    sd_bus_message *message = bus->questions[index].message;
    if (!message || bus->questions[index].token != token) continue;
    int result = 0;
    switch (answer) {
    case CSYSTEMD_REFUSE: result = refuse(bus, message); break;
    case CSYSTEMD_ACCEPT: result = bus->library.sd_bus_reply_method_return(message, ""); break;
    case CSYSTEMD_DIGITS: result = bus->library.sd_bus_reply_method_return(message, "u", digits); break;
    }
    bus->library.sd_bus_message_unref(message);
    bus->questions[index].message = NULL;
    return result < 0 ? result : 0;
  }
  return -ENOENT;
}

// Calls

static int replied(sd_bus_message *message, void *context, sd_bus_error *unused) {
  struct csystemd_bus *bus = context;
  struct csystemd_event event = {.kind = CSYSTEMD_REPLY};
  (void)unused;
  bus->library.sd_bus_message_get_reply_cookie(message, &event.token);
  const sd_bus_error *error = bus->library.sd_bus_message_get_error(message);
  if (error) {
    event.name = error->name;
    event.text = error->message;
  }
  append(bus, &event);
  return 0;
}

static int list_replied(sd_bus_message *message, void *context, sd_bus_error *unused) {
  struct csystemd_bus *bus = context;
  struct library *library = &bus->library;
  if (library->sd_bus_message_is_method_error(message, NULL)) return replied(message, context, unused);
  struct csystemd_event event = {.kind = CSYSTEMD_REPLY};
  uint32_t dropped = bus->dropped;
  library->sd_bus_message_get_reply_cookie(message, &event.token);
  int result = library->sd_bus_message_enter_container(message, 'a', "{oa{sa{sv}}}");
  while (result >= 0 && (result = library->sd_bus_message_enter_container(message, 'e', "oa{sa{sv}}")) > 0) {
    if ((result = read_object(bus, message)) >= 0) result = library->sd_bus_message_exit_container(message);
  }
  if (result < 0) append_kind(bus, CSYSTEMD_MALFORMED);
  if (result < 0 || dropped != bus->dropped) event.name = "io.accessoryd.IncompleteList";
  append(bus, &event);
  return 0;
}

/// Creates a call of bluetoothd, which is not started for it.
static int new_call(
    struct csystemd_bus *bus, const char *path, const char *interface, const char *method, sd_bus_message **call) {
  int result = bus->library.sd_bus_message_new_method_call(bus->connection, call, bluez, path, interface, method);
  if (result >= 0) bus->library.sd_bus_message_set_auto_start(*call, 0);
  return result;
}

/// Sends a call, unless an argument could not be appended.
static int send_call(
    struct csystemd_bus *bus, sd_bus_message *call, int result, sd_bus_message_handler_t handler, uint32_t milliseconds,
    uint64_t *token) {
  struct library *library = &bus->library;
  if (result >= 0)
    result = library->sd_bus_call_async(bus->connection, NULL, call, handler, bus, milliseconds * UINT64_C(1000));
  if (result >= 0) result = library->sd_bus_message_get_cookie(call, token);
  library->sd_bus_message_unref(call);
  return result < 0 ? result : 0;
}

int csystemd_call(
    struct csystemd_bus *bus, const char *path, const char *interface, const char *method, const char *argument,
    uint32_t milliseconds, uint64_t *token) {
  sd_bus_message *call = NULL;
  int result = new_call(bus, path, interface, method, &call);
  if (result >= 0 && argument) result = bus->library.sd_bus_message_append(call, "o", argument);
  return send_call(bus, call, result, replied, milliseconds, token);
}

int csystemd_list(struct csystemd_bus *bus, uint32_t milliseconds, uint64_t *token) {
  sd_bus_message *call = NULL;
  int result = new_call(bus, "/", "org.freedesktop.DBus.ObjectManager", "GetManagedObjects", &call);
  return send_call(bus, call, result, list_replied, milliseconds, token);
}

int csystemd_register_agent(
    struct csystemd_bus *bus, const char *capability, uint32_t milliseconds, uint64_t *token) {
  sd_bus_message *call = NULL;
  int result = new_call(bus, "/org/bluez", "org.bluez.AgentManager1", "RegisterAgent", &call);
  if (result >= 0) result = bus->library.sd_bus_message_append(call, "os", agent_path, capability);
  return send_call(bus, call, result, replied, milliseconds, token);
}

int csystemd_unregister_agent(struct csystemd_bus *bus, uint32_t milliseconds, uint64_t *token) {
  forget_questions(bus);
  return csystemd_call(
      bus, "/org/bluez", "org.bluez.AgentManager1", "UnregisterAgent", agent_path, milliseconds, token);
}

int csystemd_set_filter(struct csystemd_bus *bus, const char *adapter, uint32_t milliseconds, uint64_t *token) {
  sd_bus_message *call = NULL;
  int result = new_call(bus, adapter, "org.bluez.Adapter1", "SetDiscoveryFilter", &call);
  if (result >= 0) result = bus->library.sd_bus_message_append(call, "a{sv}", 1, "Transport", "s", "le");
  return send_call(bus, call, result, replied, milliseconds, token);
}

int csystemd_trust(struct csystemd_bus *bus, const char *device, uint32_t milliseconds, uint64_t *token) {
  sd_bus_message *call = NULL;
  int result = new_call(bus, device, properties_interface, "Set", &call);
  if (result >= 0)
    result = bus->library.sd_bus_message_append(call, "ssv", "org.bluez.Device1", "Trusted", "b", 1);
  return send_call(bus, call, result, replied, milliseconds, token);
}

// The connection

/// Adds a match for a signal of bluetoothd. The bus's reply is not awaited: without the match, deadlines end what waits.
static int follow(
    struct csystemd_bus *bus, const char *rule, sd_bus_message_handler_t handler, sd_bus_slot **slot) {
  return bus->library.sd_bus_add_match_async(bus->connection, slot, rule, handler, NULL, bus);
}

int csystemd_follow_properties(struct csystemd_bus *bus, int is_on) {
  if (!is_on) {
    bus->properties = bus->library.sd_bus_slot_unref(bus->properties);
    return 0;
  }
  if (bus->properties) return 0;
  return follow(
      bus,
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.Properties',member='PropertiesChanged',"
      "path_namespace='/org/bluez'",
      properties_changed, &bus->properties);
}

static int begin(struct csystemd_bus *bus, const char *address) {
  struct library *library = &bus->library;
  int result = library->sd_bus_new(&bus->connection);
  if (result >= 0) result = library->sd_bus_set_address(bus->connection, address);
  if (result >= 0) result = library->sd_bus_set_bus_client(bus->connection, 1);
  if (result >= 0) result = library->sd_bus_start(bus->connection);
  if (result < 0) return result;
  result = follow(
      bus,
      "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged',"
      "arg0='org.bluez'",
      owner_changed, NULL);
  if (result < 0) return result;
  result = follow(
      bus,
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager',member='InterfacesAdded'",
      interfaces_added, NULL);
  if (result < 0) return result;
  result = follow(
      bus,
      "type='signal',sender='org.bluez',interface='org.freedesktop.DBus.ObjectManager',member='InterfacesRemoved'",
      interfaces_removed, NULL);
  if (result < 0) return result;
  result = library->sd_bus_add_object(bus->connection, NULL, agent_path, agent_called, bus);
  if (result < 0) return result;
  return library->sd_bus_call_method_async(
      bus->connection, NULL, "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetNameOwner",
      owner_read, bus, "s", bluez);
}

int csystemd_open(const char *address, struct csystemd_bus **opened) {
  struct csystemd_bus *bus = calloc(1, sizeof *bus);
  if (!bus) return -ENOMEM;
  int result = load_library(&bus->library);
  if (result >= 0) result = begin(bus, address);
  if (result < 0) {
    csystemd_close(bus);
    return result;
  }
  *opened = bus;
  return 0;
}

void csystemd_close(struct csystemd_bus *bus) {
  if (!bus) return;
  forget_questions(bus);
  if (bus->properties) bus->library.sd_bus_slot_unref(bus->properties);
  if (bus->connection) bus->library.sd_bus_close_unref(bus->connection);
  while (csystemd_next_event(bus)) {
  }
  unload_library(&bus->library);
  free(bus);
}

int csystemd_descriptor(struct csystemd_bus *bus) { return bus->library.sd_bus_get_fd(bus->connection); }

int csystemd_conditions(struct csystemd_bus *bus) { return bus->library.sd_bus_get_events(bus->connection); }

int64_t csystemd_deadline(struct csystemd_bus *bus) {
  uint64_t microseconds = 0;
  int result = bus->library.sd_bus_get_timeout(bus->connection, &microseconds);
  if (result < 0) return 0;
  return microseconds > INT64_MAX ? -1 : (int64_t)microseconds;
}

int csystemd_process(struct csystemd_bus *bus) {
  for (int index = 0; index < MESSAGES_MAX; index++) {
    int result = bus->library.sd_bus_process(bus->connection, NULL);
    if (result <= 0) return result;
  }
  return 1;
}
