// SPDX-License-Identifier: Apache-2.0

#include "CInterfaces.h"

static const unsigned char gateway[] = {
#embed "../../Config/io.accessoryd.Gateway.varlink"
};

static const unsigned char session[] = {
#embed "../../Config/io.accessoryd.Session.varlink"
};

static const unsigned char picker[] = {
#embed "../../Config/io.accessoryd.Picker.varlink"
};

const size_t cinterfaces_gateway_count = sizeof gateway;
const size_t cinterfaces_session_count = sizeof session;
const size_t cinterfaces_picker_count = sizeof picker;

unsigned char cinterfaces_gateway_octet(size_t index) { return gateway[index]; }
unsigned char cinterfaces_session_octet(size_t index) { return session[index]; }
unsigned char cinterfaces_picker_octet(size_t index) { return picker[index]; }
