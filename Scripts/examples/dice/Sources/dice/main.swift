// SPDX-License-Identifier: Apache-2.0

// The dice's terminal, where an iOS app has its screen. It prints what happens, and reads commands:
//   add           shows a picker
//   add paired    shows a picker for dice that have to be paired
//   remove        removes the dice from the app
//   sides N       sets how many sides the dice have
//   connect, disconnect
//   quit

import AccessorySetupKit

let dice = DiceModel()
dice.report = { line in FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }
dice.start()

/// Obeys a line of the standard input.
@MainActor func obey(_ line: String) {
  let words = line.split(separator: " ")
  switch words.first {
  case "add": dice.add(paired: words.dropFirst().first == "paired")
  case "remove": dice.remove()
  case "sides":
    guard let count = words.dropFirst().first.flatMap({ UInt8($0) }), count > 1 else {
      return dice.report("sides: write a number from 2 to 255")
    }
    dice.setSides(count)
  case "connect": dice.connect()
  case "disconnect": dice.disconnect()
  case "quit": exit(0)
  case nil: break
  default: dice.report("commands: add [paired], remove, sides N, connect, disconnect, quit")
  }
}

Thread.detachNewThread {
  // As a service, the program has no input and goes on without it.
  while let line = readLine() {
    DispatchQueue.main.async { MainActor.assumeIsolated { obey(line) } }
  }
}
dispatchMain()
