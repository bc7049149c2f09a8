// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import LinuxSystem

/// Performs a recovery action on an adapter that no program holds, before the adapter is opened again. The *devices*
/// worker runs it. Each step may fail; what counts is whether the adapter can be opened afterwards.
struct AdapterRecovery {
  private static let answerMilliseconds = 4000
  /// How long the recovery unit has to accept its request and to perform the steps of the profile.
  private static let boardMilliseconds = 15_000
  private static let pollMilliseconds = 200

  let index: UInt16
  /// How long the adapter may take to return after the board's step.
  let settleMilliseconds: Int

  /// Performs the action. Returns why it could not be performed, or nil.
  func performAction(
    _ action: RecoveryAction, by control: borrowing AdapterSocket, requestPath: String
  ) -> RadioOpeningError? {
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
      if let failure = requestBoardStep(requestPath) { return failure }
      waitForAdapter()
      // A kernel (6.12) that waited in vain for the reply to Reset also misses the reply to the next Reset, which this
      // sequence sends and does not need.
      try? control.takeDown(index)
      try? control.takeUp(index)
    }
    return nil
  }

  /// Waits for a driver that was bound again: it loads its firmware first.
  private func waitForAdapter() {
    for _ in 0..<settleMilliseconds / Self.pollMilliseconds where AdapterSocket.incarnation(index) == nil {
      Pause.wait(milliseconds: Self.pollMilliseconds)
    }
  }

  /// Powers the adapter through the management interface, which also restores its settings.
  private func switchPower(_ isOn: Bool) {
    guard let socket = try? MgmtSocket() else { return }
    socket.performCommands([.set(.setPowered, to: isOn, index)], milliseconds: Self.answerMilliseconds)
  }

  /// Leaves an empty file for the recovery unit, which removes it when it is done.
  private func requestBoardStep(_ path: String) -> RadioOpeningError? {
    do throws(SystemError) { try DurableFile.create(path) } catch {
      // A request that is still there serves as well.
      guard FileName.content(of: path) != .nothing else { return .recoveryRequest(path, error) }
    }
    for _ in 0..<Self.boardMilliseconds / Self.pollMilliseconds {
      Pause.wait(milliseconds: Self.pollMilliseconds)
      if FileName.content(of: path) == .nothing { return nil }
    }
    FileName.remove(path)
    return .recoveryIgnored
  }
}

/// A pause of a worker's thread.
enum Pause {
  static func wait(milliseconds: Int) {
    guard let now = try? MonotonicInstant.now() else { return }
    _ = try? Polling.wait([], until: now.advanced(milliseconds: milliseconds))
  }
}
