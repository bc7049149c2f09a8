// SPDX-License-Identifier: GPL-3.0-or-later
//
// bus-client ADAPTER: receives advertisements through bluetoothd with as little work as an application can do. It
// starts discovery with duplicates, counts the signals that carry a device's RSSI, and prints their number at SIGUSR1,
// and at SIGTERM, which ends it. Interfaces: BlueZ, doc/adapter-api.txt and doc/device-api.txt.

#include <dbus/dbus.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile sig_atomic_t has_ended, is_asked;

static void end(int signal) {
  (void)signal;
  has_ended = 1;
}

static void ask(int signal) {
  (void)signal;
  is_asked = 1;
}

static void die(const char *what, DBusError *error) {
  fprintf(stderr, "bus-client: %s: %s\n", what, error->message ? error->message : "failed");
  exit(1);
}

static void call(DBusConnection *bus, DBusMessage *message) {
  DBusError error = DBUS_ERROR_INIT;
  DBusMessage *reply = dbus_connection_send_with_reply_and_block(bus, message, 20000, &error);
  if (!reply) die(dbus_message_get_member(message), &error);
  dbus_message_unref(reply);
  dbus_message_unref(message);
}

static void append_entry(DBusMessageIter *entries, const char *key, int type, const char *signature, const void *value) {
  DBusMessageIter entry, variant;
  dbus_message_iter_open_container(entries, DBUS_TYPE_DICT_ENTRY, NULL, &entry);
  dbus_message_iter_append_basic(&entry, DBUS_TYPE_STRING, &key);
  dbus_message_iter_open_container(&entry, DBUS_TYPE_VARIANT, signature, &variant);
  dbus_message_iter_append_basic(&variant, type, value);
  dbus_message_iter_close_container(&entry, &variant);
  dbus_message_iter_close_container(entries, &entry);
}

static void set_filter(DBusConnection *bus, const char *path) {
  DBusMessage *message = dbus_message_new_method_call("org.bluez", path, "org.bluez.Adapter1", "SetDiscoveryFilter");
  DBusMessageIter iterator, entries;
  const char *transport = "le";
  dbus_bool_t duplicates = TRUE;
  dbus_message_iter_init_append(message, &iterator);
  dbus_message_iter_open_container(&iterator, DBUS_TYPE_ARRAY, "{sv}", &entries);
  append_entry(&entries, "Transport", DBUS_TYPE_STRING, "s", &transport);
  append_entry(&entries, "DuplicateData", DBUS_TYPE_BOOLEAN, "b", &duplicates);
  dbus_message_iter_close_container(&iterator, &entries);
  call(bus, message);
}

// Whether a dictionary of properties has an RSSI.
static int has_rssi(DBusMessageIter *properties) {
  DBusMessageIter entry, pair;
  const char *key;
  if (dbus_message_iter_get_arg_type(properties) != DBUS_TYPE_ARRAY) return 0;
  dbus_message_iter_recurse(properties, &entry);
  for (; dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entry)) {
    dbus_message_iter_recurse(&entry, &pair);
    dbus_message_iter_get_basic(&pair, &key);
    if (strcmp(key, "RSSI") == 0) return 1;
  }
  return 0;
}

// PropertiesChanged(interface, properties, …) of a known device, InterfacesAdded(path, interfaces) of a new one.
static int is_report(DBusMessage *message) {
  DBusMessageIter iterator, entry, pair;
  if (!dbus_message_iter_init(message, &iterator)) return 0;
  if (dbus_message_is_signal(message, "org.freedesktop.DBus.Properties", "PropertiesChanged"))
    return dbus_message_iter_next(&iterator) && has_rssi(&iterator);
  if (!dbus_message_is_signal(message, "org.freedesktop.DBus.ObjectManager", "InterfacesAdded")) return 0;
  if (!dbus_message_iter_next(&iterator)) return 0;
  dbus_message_iter_recurse(&iterator, &entry);
  for (; dbus_message_iter_get_arg_type(&entry) == DBUS_TYPE_DICT_ENTRY; dbus_message_iter_next(&entry)) {
    dbus_message_iter_recurse(&entry, &pair);
    if (dbus_message_iter_next(&pair) && has_rssi(&pair)) return 1;
  }
  return 0;
}

int main(int count, char **arguments) {
  DBusError error = DBUS_ERROR_INIT;
  DBusConnection *bus;
  char path[64];
  long reports = 0;
  if (count != 2) return 64;
  signal(SIGTERM, end);
  signal(SIGUSR1, ask);
  bus = dbus_bus_get(DBUS_BUS_SYSTEM, &error);
  if (!bus) die("the bus", &error);
  snprintf(path, sizeof path, "/org/bluez/%s", arguments[1]);
  dbus_bus_add_match(bus, "type='signal',sender='org.bluez'", &error);
  if (dbus_error_is_set(&error)) die("the match", &error);
  set_filter(bus, path);
  call(bus, dbus_message_new_method_call("org.bluez", path, "org.bluez.Adapter1", "StartDiscovery"));
  printf("discovers\n");
  fflush(stdout);
  while (!has_ended && dbus_connection_read_write(bus, 500)) {
    DBusMessage *message;
    while ((message = dbus_connection_pop_message(bus)) != NULL) {
      reports += is_report(message);
      dbus_message_unref(message);
    }
    if (is_asked) {
      is_asked = 0;
      printf("%ld\n", reports);
      fflush(stdout);
    }
  }
  printf("%ld\n", reports);
  return 0;
}
