// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import Manifest
import ToolText

/// Where commands that ask about devices look: at what the agent has now, or at the tables as they stand after a
/// capture.
struct LookSource: ParsableArguments {
  @Option(
    help: ArgumentHelp("Look into this btsnoop file, not at the agent.", valueName: "file"),
    completion: .file())
  var capture: String?

  @OptionGroup var look: LookOptions

  @OptionGroup var gateway: GatewayOptions

  func validate() throws {
    guard capture == nil else {
      guard gateway.socket == nil else { throw ValidationError("--capture and --socket exclude each other") }
      return
    }
    if let option = look.givenOption {
      throw ValidationError("\(option) belongs to --capture; the agent has its own")
    }
  }

  /// For commands that have nothing to say without items.
  func requireManifest() throws { if capture != nil { try look.requireManifest() } }

  /// Replays the capture, lets `body` ask, and then says if the capture broke off.
  func replay(
    _ capture: String, _ body: (borrowing ManifestDataPath) throws(Failure) -> ExitStatus
  ) throws(Failure) {
    let file = try CaptureFile(reading: capture)
    var replay = CaptureReplay(try look.dataPath())
    let ending = Result { () throws(Failure) in
      try file.replay(&replay, until: look.seconds?.instant) { _ throws(Failure) in }
    }
    let status = try body(replay.dataPath)
    try ending.get()
    if status != .success { throw .said(status) }
  }
}
