// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import Manifest
import ToolText

/// Where a command finds devices: in the agent's tables now, or in the tables at the end of a capture.
struct LookSource: ParsableArguments {
  @Option(
    help: ArgumentHelp("Read this btsnoop file instead of asking the agent.", valueName: "file"),
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

  /// For commands that need items.
  func requireManifest() throws { if capture != nil { try look.requireManifest() } }

  /// Replays the capture, calls `body`, and then throws if the capture is cut off.
  func replay(
    _ capture: String, _ body: (borrowing ManifestDataPath) throws(ToolError) -> ExitStatus
  ) throws(ToolError) {
    let file = try CaptureFile(reading: capture)
    var replay = CaptureReplay(try look.dataPath())
    let ending = Result { () throws(ToolError) in
      try file.replay(&replay, until: look.seconds?.instant) { _ throws(ToolError) in }
    }
    let status = try body(replay.dataPath)
    try ending.get()
    if status != .success { throw .reported(status) }
  }
}
