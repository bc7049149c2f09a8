// SPDX-License-Identifier: GPL-3.0-or-later
//
// The functions of libsystemd in use, found in the library when it is loaded.

#ifndef LIBRARY_H
#define LIBRARY_H

#include "CSystemd.h"

#include <systemd/sd-bus.h>

// X(NAME) for each function.
#define LIBRARY_FUNCTIONS(X) \
  X(sd_bus_new) \
  X(sd_bus_set_address) \
  X(sd_bus_set_bus_client) \
  X(sd_bus_start) \
  X(sd_bus_close_unref) \
  X(sd_bus_get_fd) \
  X(sd_bus_get_events) \
  X(sd_bus_get_timeout) \
  X(sd_bus_process) \
  X(sd_bus_add_match_async) \
  X(sd_bus_add_object) \
  X(sd_bus_slot_unref) \
  X(sd_bus_call_async) \
  X(sd_bus_call_method_async) \
  X(sd_bus_message_new_method_call) \
  X(sd_bus_message_set_auto_start) \
  X(sd_bus_message_append) \
  X(sd_bus_message_ref) \
  X(sd_bus_message_unref) \
  X(sd_bus_message_get_cookie) \
  X(sd_bus_message_get_reply_cookie) \
  X(sd_bus_message_get_error) \
  X(sd_bus_message_get_sender) \
  X(sd_bus_message_get_path) \
  X(sd_bus_message_get_member) \
  X(sd_bus_message_has_signature) \
  X(sd_bus_message_is_method_call) \
  X(sd_bus_message_is_method_error) \
  X(sd_bus_message_peek_type) \
  X(sd_bus_message_read) \
  X(sd_bus_message_skip) \
  X(sd_bus_message_enter_container) \
  X(sd_bus_message_exit_container) \
  X(sd_bus_reply_method_return) \
  X(sd_bus_reply_method_errorf)

struct library {
  void *handle;
#define X(name) __typeof__(&name) name;
  LIBRARY_FUNCTIONS(X)
#undef X
};

/// Returns 0, or -ELIBACC.
int load_library(struct library *library);

void unload_library(struct library *library);

#endif
