// SPDX-License-Identifier: Apache-2.0

// The lock's terminal, where an iOS app has its screen. It prints what happens, and reads commands: add shows a picker,
// close and open move the bolt, quit.

import AccessorySetupKit

let lock = LockModel()
lock.report = { line in FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
lock.start()

@MainActor func obey(_ line: String) {
  switch line {
  case "add": lock.add()
  case "close": lock.moveBolt(out: true)
  case "open": lock.moveBolt(out: false)
  case "quit": exit(0)
  default: lock.report("commands: add, close, open, quit")
  }
}

Thread.detachNewThread {
  // As a service, the program has no input and goes on without it.
  while let line = readLine() {
    DispatchQueue.main.async { MainActor.assumeIsolated { obey(line) } }
  }
}
dispatchMain()
