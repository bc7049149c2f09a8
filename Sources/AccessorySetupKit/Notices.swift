// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Interfaces

/// Lines for the author of the app, on standard error.
///
/// Sessions of one process often have the same to say. So what was said in the last ``pause`` is not said again. Capacity:
/// ``countMax`` lines are remembered; the oldest gives way.
enum Notices {
  private static let pause = UInt64(30_000_000_000)
  private static let countMax = 16

  private static let said = Locked<[(line: String, time: UInt64)]>([])

  /// Says why there is no session, and at which socket.
  static func say(_ error: ASError, at path: String) {
    let sentence = error.localizedDescription
    say(sentence.contains(path) ? sentence : "no session at \(path): \(sentence)")
  }

  static func say(_ sentence: String) {
    // It may be the word of the program at the socket.
    let line = "AccessorySetupKit: \(AirText(Array(sentence.utf8)).sentence(columnsMax: 1000))\n"
    let now = DispatchTime.now().uptimeNanoseconds
    let isNew = said.withLock { said in
      said.removeAll { now - $0.time >= pause }
      guard !said.contains(where: { $0.line == line }) else { return false }
      said = said.suffix(countMax - 1) + [(line, now)]
      return true
    }
    if isNew { FileHandle.standardError.write(Data(line.utf8)) }
  }
}
