// SPDX-License-Identifier: Apache-2.0

// The terminal of the device manager, where an iOS app has its screen. The argument chooses how devices are found:
//   devices picker   the user chooses in a picker
//   devices list     a plain list of what is in reach
// It prints what happens, and reads commands:
//   find, stop
//   connect NAME, disconnect NAME, rename NAME, remove NAME
//   quit

import Foundation

let discoveries: [String: () -> DeviceDiscovery] = [
  "picker": PickerDiscovery.init, "list": ListDiscovery.init,
]
guard CommandLine.arguments.count == 2, let makeDiscovery = discoveries[CommandLine.arguments[1]] else {
  FileHandle.standardError.write(Data("usage: devices picker|list\n".utf8))
  exit(64)
}
let manager = DeviceManager(makeDiscovery()) { line in
  FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

/// Obeys a line of the standard input.
@Sendable func obey(_ line: String) {
  let words = line.split(separator: " ", maxSplits: 1).map(String.init)
  switch (words.first, words.dropFirst().first) {
  case ("find", nil): manager.find()
  case ("stop", nil): manager.stop()
  case ("connect", let name?): manager.connect(name)
  case ("disconnect", let name?): manager.disconnect(name)
  case ("rename", let name?): manager.rename(name)
  case ("remove", let name?): manager.remove(name)
  case ("quit", nil): exit(0)
  default: print("commands: find, stop, connect NAME, disconnect NAME, rename NAME, remove NAME, quit")
  }
}

Thread.detachNewThread {
  // As a service, the program has no input and goes on without it.
  while let line = readLine() {
    DispatchQueue.main.async { obey(line) }
  }
}
dispatchMain()
