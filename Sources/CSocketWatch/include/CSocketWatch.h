// SPDX-License-Identifier: Apache-2.0
//
// epoll(7), whose names Swift does not import.
#pragma once

/// Makes an epoll instance that is readable while `socket` has something to read, an error or an end. Returns its
/// descriptor, or -1 with errno.
int csocket_watch_create(int socket);

/// Whether the instance is readable while `socket` takes bytes, too.
void csocket_watch_await_space(int watch, int socket, int is_awaited);
