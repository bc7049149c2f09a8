// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import ArgumentParser
import HCI
import Rendering

/// The tables as they stand after a capture, for commands that ask about devices.
struct CaptureLook: ParsableArguments {
  @Option(help: ArgumentHelp("Look into this btsnoop file.", valueName: "file"))
  var capture: String

  @OptionGroup var look: LookOptions

  /// Replays the capture, lets `body` ask, and then says if the capture broke off.
  func ask(_ body: (borrowing CaptureReplay) throws(Failure) -> ExitStatus) throws(Failure) {
    let file = try CaptureFile(reading: capture)
    var replay = CaptureReplay(try look.dataPath())
    let ending = Result { () throws(Failure) in
      try file.replay(&replay, until: look.seconds?.instant) { _ throws(Failure) in }
    }
    let status = try body(replay)
    try ending.get()
    if status != .success { throw .said(status) }
  }
}
