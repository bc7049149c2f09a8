// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// Whether the controller refused the scan commands of a kernel that scans for the agent. The management interface does
/// not report such a refusal: the adapter may not scan at all although the kernel says that it does.
///
/// A refusal counts until a scan is switched on or off, or something is heard. A kernel that ends a scan which is not on
/// is refused too, and that is harmless.
struct ScanStartError: Equatable, Sendable {
  /// How long the kernel may take to start a scan that it has announced.
  static let settlingMilliseconds: Int64 = 500

  private(set) var error: ControllerInitializerError?

  /// Notes a reply to a scan command. Returns whether it is a refusal.
  mutating func note(_ answer: borrowing CommandReply) -> Bool {
    let isSwitch = [.leSetScanEnable, .leSetExtendedScanEnable].contains(answer.opcode)
    guard isSwitch || [.leSetScanParameters, .leSetExtendedScanParameters].contains(answer.opcode),
      let status = answer.status
    else { return false }
    guard status != .success else {
      if isSwitch { error = nil }
      return false
    }
    error = .refused(answer.opcode, status)
    return true
  }

  /// Returns what is wrong when the probe was answered like this; nil when nothing is.
  func error(after answer: borrowing CommandReply) -> ControllerInitializerError? {
    guard error == nil, let status = answer.status, status != .success else { return error }
    return .refused(answer.opcode, status)
  }

  mutating func forget() { error = nil }
}
