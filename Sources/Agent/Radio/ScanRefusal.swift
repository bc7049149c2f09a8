// SPDX-License-Identifier: GPL-3.0-or-later

import Controller
import HCI

/// What a controller said last to the scan commands of a kernel that scans for us. The kernel tells nobody that it was
/// refused: an adapter of which the management interface says that all is well may not scan at all.
///
/// A refusal counts until a scan is switched, or something is heard: a kernel that ends a scan which is not on is
/// refused too, and means nothing by it.
struct ScanRefusal: Equatable, Sendable {
  /// So long the kernel may take to begin a scan that it has promised.
  static let settlingMilliseconds: Int64 = 500

  private(set) var error: ControllerInitializerError?

  /// Whether this answer is a refusal.
  mutating func take(_ answer: borrowing CommandReply) -> Bool {
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

  /// What is wrong when a harmless question was answered like this.
  func error(behind answer: borrowing CommandReply) -> ControllerInitializerError? {
    guard error == nil, let status = answer.status, status != .success else { return error }
    return .refused(answer.opcode, status)
  }

  mutating func forget() { error = nil }
}
