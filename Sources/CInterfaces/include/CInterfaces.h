// SPDX-License-Identifier: Apache-2.0
//
// The interface definitions in Config/, as they stand, built into the program that serves them.
#pragma once

#include <stddef.h>

/// Octets of Config/io.accessoryd.Gateway.varlink, Session and Picker.
extern const size_t cinterfaces_gateway_count;
extern const size_t cinterfaces_session_count;
extern const size_t cinterfaces_picker_count;
/// One octet of it; `index` must be below the count.
unsigned char cinterfaces_gateway_octet(size_t index);
unsigned char cinterfaces_session_octet(size_t index);
unsigned char cinterfaces_picker_octet(size_t index);
