// SPDX-License-Identifier: GPL-3.0-or-later

// An app that connects to its accessory, explores it, and obeys the lines of its standard input:
//   read UUID       reads a characteristic
//   write UUID N    writes N bytes to it: 0, 1, 2 and so on
//   notify UUID     subscribes to it
// It prints a line for each thing that it finds, for each result and for each event.

import AccessorySetupKit
import CoreBluetooth

let probe = LinkProbe()
probe.start()

/// Obeys a line of the standard input.
@Sendable func obey(_ line: String) {
  let words = line.split(separator: " ").map(String.init)
  switch (words.first, words.dropFirst().first, words.dropFirst(2).first.flatMap { Int($0) }) {
  case ("read", let uuid?, nil): probe.read(uuid)
  case ("write", let uuid?, let count?): probe.write(uuid, count)
  case ("notify", let uuid?, nil): probe.subscribe(uuid)
  default: probe.report("unknown command: \(line)")
  }
}

Thread.detachNewThread {
  while let line = readLine() {
    DispatchQueue.main.async { obey(line) }
  }
}
dispatchMain()
