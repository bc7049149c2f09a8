// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import ArgumentParser
import HCI
import Rendering

/// A number of seconds, up to a year.
struct SecondsArgument: ExpressibleByArgument {
  let instant: Instant

  init?(argument: String) {
    guard let seconds = Double(argument), seconds >= 0, seconds <= 31_536_000 else { return nil }
    instant = Instant(microseconds: Int64(seconds * 1_000_000))
  }
}

/// What the commands that look into a capture have in common.
struct CaptureOptions: ParsableArguments {
  @Option(help: ArgumentHelp("The manifest whose items are looked for.", valueName: "file"))
  var manifest: String

  @Option(help: ArgumentHelp("Stop after so many seconds of the capture.", valueName: "n"))
  var seconds: SecondsArgument?
}
