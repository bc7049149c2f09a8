// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI
import LinuxSystem

/// What is done to an adapter that nobody holds, before it is opened again: what the *devices* worker does for a action
/// of the ladder. Each step may fail; what counts is whether the adapter can be opened behind it.
struct AdapterRecovery {
  private static let answerMilliseconds = 4000
  /// The recovery unit has so long to take its request, and to do what the profile says.
  private static let boardMilliseconds = 15_000
  private static let lookMilliseconds = 200

  let index: UInt16
  /// So long the adapter may take to come back behind the board's step.
  let settleMilliseconds: Int

  /// Nil, or why nothing could be done.
  func perform(
    _ action: RecoveryAction, by control: borrowing AdapterSocket, requestPath: String
  ) -> RadioOpening.Failure? {
    switch action {
    case .restartScan: break
    case .reset: try? control.reset(index)
    case .takeDownAndUp:
      try? control.takeDown(index)
      try? control.takeUp(index)
    case .powerCycle:
      switchPower(false)
      switchPower(true)
    case .boardStep:
      if let failure = askForHelp(requestPath) { return failure }
      waitForAdapter()
      // A kernel (6.12) that waited in vain for Reset passes over the answer to the next one, too: here nobody needs it.
      try? control.takeDown(index)
      try? control.takeUp(index)
    }
    return nil
  }

  /// A driver that was bound anew loads its firmware first.
  private func waitForAdapter() {
    for _ in 0..<settleMilliseconds / Self.lookMilliseconds where AdapterSocket.incarnation(index) == nil {
      Pause.wait(milliseconds: Self.lookMilliseconds)
    }
  }

  /// Through the management interface, which does more than down and up: what it was set to is set again.
  private func switchPower(_ isOn: Bool) {
    guard let port = try? MgmtSocket() else { return }
    port.carryOut([.setPowered(isOn, index)], milliseconds: Self.answerMilliseconds)
  }

  /// Leaves an empty file for the recovery unit, which removes it when it is done.
  private func askForHelp(_ path: String) -> RadioOpening.Failure? {
    do throws(SystemError) { try DurableFile.create(path) } catch {
      // A request that is still there is as good.
      guard FileName.content(of: path) != .nothing else { return .recoveryRequest(path, error) }
    }
    for _ in 0..<Self.boardMilliseconds / Self.lookMilliseconds {
      Pause.wait(milliseconds: Self.lookMilliseconds)
      if FileName.content(of: path) == .nothing { return nil }
    }
    FileName.remove(path)
    return .recoveryUnheard
  }
}

/// Waiting where nothing else can be done meanwhile: on a worker.
enum Pause {
  static func wait(milliseconds: Int) {
    guard let now = try? MonotonicInstant.now() else { return }
    _ = try? Polling.wait([], until: now.advanced(milliseconds: milliseconds))
  }
}
