// SPDX-License-Identifier: GPL-3.0-or-later

import HCI

extension VirtualController {
  mutating func apply(_ effect: ControllerFault.Effect, at time: Instant) {
    switch effect {
    case .hardwareError(let code): post(PacketEncoder.event(Event.hardwareError, [code]), at: time)
    case .garbage(let bytes): post(bytes, at: time)
    case .silence(let milliseconds):
      outbox.removeAll { $0.time > time }
      isSilent = true
      returnTime = milliseconds.map { time.advanced(milliseconds: Int64($0)) }
    case .unplug(let milliseconds):
      outbox.removeAll { $0.time > time }
      isPlugged = false
      returnTime = milliseconds.map { time.advanced(milliseconds: Int64($0)) }
    case .late, .lost, .refused: break  // These affect only the answer to a command.
    }
  }
}

extension [ControllerFault] {
  var delayMicroseconds: Int64 {
    reduce(0) { sum, fault in
      guard case .late(let milliseconds) = fault.effect else { return sum }
      return sum + Int64(milliseconds) * 1000
    }
  }

  func isLost(_ stage: ControllerFault.Stage) -> Bool {
    contains { $0.effect == .lost && $0.stage == stage }
  }

  func refusal(_ stage: ControllerFault.Stage) -> ErrorCode? {
    for fault in self where fault.stage == stage {
      if case .refused(let status) = fault.effect { return status }
    }
    return nil
  }

  /// Applies the effects of one stage to the controller.
  func apply(
    _ stage: ControllerFault.Stage, to controller: inout VirtualController, at time: Instant
  ) {
    for fault in self where fault.stage == stage { controller.apply(fault.effect, at: time) }
  }
}
