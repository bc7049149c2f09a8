// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Glibc

/// A bus of its own for a test, with a folder of its own. Both are gone with their owner.
public final class TestBus: Sendable {
  struct StartError: Error {}

  public let folder: String
  public var path: String { folder + "/bus" }
  private let daemon: Process

  public init() throws {
    folder = NSTemporaryDirectory() + "bus-" + UUID().uuidString.prefix(8)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let daemon = Process()
    daemon.executableURL = URL(fileURLWithPath: "/usr/bin/dbus-daemon")
    daemon.arguments = [
      "--session", "--nofork", "--nopidfile", "--address=unix:path=\(folder)/bus", "--print-address",
    ]
    let output = Pipe()
    daemon.standardOutput = output
    try daemon.run()
    self.daemon = daemon
    // It listens once it has printed its address.
    guard output.fileHandleForReading.readData(ofLength: 1).count == 1 else { throw StartError() }
  }

  deinit {
    kill(daemon.processIdentifier, SIGKILL)
    daemon.waitUntilExit()
    try? FileManager.default.removeItem(atPath: folder)
  }
}
