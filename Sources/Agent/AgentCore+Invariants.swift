// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import Manifest
import Setup

extension AgentCore {
  /// Traps when a bound is passed or tables disagree; for tests, which ask after every step.
  public func checkInvariants() {
    dataPath.pipeline.checkInvariants()
    clients.checkInvariants()
    setupCore.checkInvariants()
    precondition(tap.readerCount == clients.streamCount(CaptureStream.self))
    precondition(sampler.sampleCount <= clients.streamCount(SuggestionStream.self))
  }
}
