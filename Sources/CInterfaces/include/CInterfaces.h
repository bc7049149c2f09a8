// SPDX-License-Identifier: Apache-2.0
//
// The interface definitions in Config/, as they stand, built into the program that serves them.
#pragma once

#include <stddef.h>

/// Octets of Config/io.accessoryd.Gateway.varlink.
extern const size_t cinterfaces_gateway_count;
/// One octet of it; `index` must be below the count.
unsigned char cinterfaces_gateway_octet(size_t index);
