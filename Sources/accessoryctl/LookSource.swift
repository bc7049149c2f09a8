// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Discovery
import Explanation
import HCI
import Interfaces
import Manifest
import ToolText

/// Where a command finds devices: in the agent's tables now, or in a whole capture.
struct LookSource: ParsableArguments {
  @Option(
    name: .customLong("capture"),
    help: ArgumentHelp("Read this btsnoop file instead of asking the agent.", valueName: "file"),
    completion: .file())
  var file: String?

  @OptionGroup var hex: HexOptions

  @OptionGroup var look: LookOptions

  @OptionGroup var gateway: GatewayOptions

  /// The capture; nil when the agent is asked.
  var capture: CaptureInput? { hex.input ?? file.map(CaptureInput.file) }

  func validate() throws {
    if file != nil, hex.input != nil { throw ValidationError("--capture and --hex exclude each other") }
    if let capture {
      guard gateway.socket == nil else {
        throw ValidationError("\(capture.option) and --socket exclude each other")
      }
      return
    }
    if let option = look.givenOption {
      throw ValidationError("\(option) belongs to --capture and --hex; the agent has its own")
    }
  }

  /// For commands that need items.
  func requireManifest(or otherCure: String = "") throws {
    if capture != nil { try look.requireManifest(or: otherCure) }
  }

  /// Replays the capture and calls `body` with the tables at its end and with what happened until then. Of a capture that
  /// is cut off it warns; when that leaves no result, it throws.
  func replay(
    _ capture: CaptureInput, ofDevice bits: UInt64 = 0,
    _ body: (borrowing ManifestDataPath, CaptureHistory) throws(ToolError) -> ExitStatus
  ) throws(ToolError) {
    let file = try capture.open()
    var replay = CaptureReplay(try look.dataPath())
    var history = CaptureHistory(ofDevice: bits)
    var decoder = ArenaOwner { CaptureDecoder(in: &$0) }
    let ending = Result { () throws(ToolError) in
      try file.replay(
        &replay, until: look.seconds?.instant,
        witness: { record in
          decoder.value.decode(record) { entry in
            if case .report(let report) = entry { history.addReport(report) }
          }
        }
      ) { events throws(ToolError) in
        for event in events { history.addEvent(event) }
      }
    }
    guard case .failure(let error) = ending else {
      return try body(replay.dataPath, history).throwUnlessSuccess()
    }
    guard replay.recordCount > 0 else { throw error }
    let result = Result { () throws(ToolError) in try body(replay.dataPath, history) }
    guard case .success(let status) = result else { throw error }
    try error.warn(hasResult: true)
    try status.throwUnlessSuccess()
  }
}
