// SPDX-License-Identifier: Apache-2.0

import DBus
import Testing

@Suite("Addresses of a bus")
struct BusAddressTests {
  @Test("Local sockets are named in order, with escapes; what is no local socket is left out")
  func sockets() {
    let cases: [(String, [String])] = [
      ("unix:path=/run/dbus/system_bus_socket", ["/run/dbus/system_bus_socket"]),
      ("unix:abstract=/tmp/dbus-x,guid=00ff", ["@/tmp/dbus-x"]),
      ("unix:guid=00ff,path=/a%20b%3b%25", ["/a b;%"]),
      ("tcp:host=localhost,port=1;unix:path=/a;;unix:abstract=b;", ["/a", "@b"]),
      ("unix:runtime=yes;unix:tmpdir=/tmp;unix:path;unixexec:path=/bin/sh", []),
      ("unix:path=/a%2;unix:path=/a%+1;unix:path=/a%zz;unix:path=/c%C3%BC", ["/cü"]), ("", []),
    ]
    for (text, sockets) in cases { #expect(BusAddress.sockets(in: text) == sockets, "\(text)") }
  }
}
