// SPDX-License-Identifier: Apache-2.0

#include "CInterfaces.h"

static const unsigned char gateway[] = {
#embed "../../Config/io.accessoryd.Gateway.varlink"
};

const size_t cinterfaces_gateway_count = sizeof gateway;

unsigned char cinterfaces_gateway_octet(size_t index) { return gateway[index]; }
