// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// Why a controller does not scan.
public enum ControllerInitializerError: Error, Equatable, Sendable {
  /// It did not answer the command in time.
  case timeout(Opcode)
  /// It refused the command.
  case refused(Opcode, ErrorCode)
  /// It answered with fewer octets than the command returns.
  case answerCut(Opcode)
  /// It says that something in it broke; the code is its manufacturer's.
  case hardwareError(UInt8)
  /// It knows neither the extended nor the legacy scan commands.
  case cannotScan
}
