// SPDX-License-Identifier: Apache-2.0

#include "CInterfaces.h"

// Clang gives #embed to older dialects too, and says so in each build of an app.
#pragma clang diagnostic ignored "-Wc23-extensions"

static const unsigned char gateway[] = {
#embed "../../Config/io.accessoryd.Gateway.varlink"
};

static const unsigned char session[] = {
#embed "../../Config/io.accessoryd.Session.varlink"
};

static const unsigned char operator_text[] = {
#embed "../../Config/io.accessoryd.Operator.varlink"
};

const size_t cinterfaces_gateway_count = sizeof gateway;
const size_t cinterfaces_session_count = sizeof session;
const size_t cinterfaces_operator_count = sizeof operator_text;

unsigned char cinterfaces_gateway_byte(size_t index) { return gateway[index]; }
unsigned char cinterfaces_session_byte(size_t index) { return session[index]; }
unsigned char cinterfaces_operator_byte(size_t index) { return operator_text[index]; }
