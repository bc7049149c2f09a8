// SPDX-License-Identifier: Apache-2.0
//
// The interface definitions in Config/, built into the program that serves them.
#pragma once

#include <stddef.h>

/// The sizes of Config/io.accessoryd.Gateway.varlink, Session and Operator, in bytes.
extern const size_t cinterfaces_gateway_count;
extern const size_t cinterfaces_session_count;
extern const size_t cinterfaces_operator_count;
/// One byte of a file; `index` must be below the file's size.
unsigned char cinterfaces_gateway_byte(size_t index);
unsigned char cinterfaces_session_byte(size_t index);
unsigned char cinterfaces_operator_byte(size_t index);
