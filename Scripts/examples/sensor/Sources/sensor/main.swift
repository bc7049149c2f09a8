// SPDX-License-Identifier: Apache-2.0

// The thermometer's terminal, where an iOS app has its screen. It prints what happens, and reads commands: add shows a
// picker, quit.

import AccessorySetupKit

let sensor = SensorModel()
sensor.report = { line in FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
sensor.start()

@MainActor func obey(_ line: String) {
  switch line {
  case "add": sensor.add()
  case "quit": exit(0)
  default: sensor.report("commands: add, quit")
  }
}

Thread.detachNewThread {
  // As a service, the program has no input and goes on without it.
  while let line = readLine() {
    DispatchQueue.main.async { MainActor.assumeIsolated { obey(line) } }
  }
}
dispatchMain()
