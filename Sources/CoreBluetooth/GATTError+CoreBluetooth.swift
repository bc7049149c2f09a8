// SPDX-License-Identifier: Apache-2.0

import GATT

extension GATTError {
  /// The error that an app receives.
  var appError: any Error {
    switch self {
    case .refused(let code, let handle): CBATTError(code, handle: handle)
    case .malformedResponse(let error):
      CBError(
        .unknown, "the peripheral sent a malformed response: \(error)", cure: "report it to its manufacturer")
    case .invalidResponse(let opcode):
      CBError(
        .unknown, "the peripheral's response does not fit the request: \(opcode)",
        cure: "report it to its manufacturer")
    case .valueWasAltered(let handle):
      CBError(
        .unknown,
        "the peripheral repeated other bytes than it was sent for attribute \(handle); none were written",
        cure: "write the value again")
    case .noClientConfiguration:
      CBATTError(.attributeNotFound, "the characteristic has no Client Characteristic Configuration")
    case .valueTooLong:
      CBATTError(
        .invalidAttributeValueLength, "the value has more than \(GATTClient.valueBytesMax) bytes")
    case .tooManyOperations:
      CBError(
        .outOfSpace, "\(GATTClient.operationsMax) operations of the peripheral wait already",
        cure: "wait for the delegate's calls before you begin more")
    case .timedOut:
      CBError(.connectionTimeout, "the peripheral did not respond for 30 s", cure: "connect to it again")
    case .linkEnded:
      CBError(.peripheralDisconnected, "the peripheral has disconnected", cure: "connect to it again")
    }
  }
}

extension CBError {
  static let notConnectedError = CBError(
    .notConnected, "the peripheral is not connected", cure: "wait for centralManager(_:didConnect:)")
  static let linkIsFull = CBError(
    .outOfSpace, "\(GATTClient.commandsMax) values without response wait already",
    cure: "check canSendWriteWithoutResponse, and wait for peripheralIsReady(toSendWriteWithoutResponse:)")
  static let staleAttribute = CBError(
    .invalidHandle, "the attribute is of an earlier connection, or of a service that changed",
    cure: "discover the peripheral's services again")
  static let invalidUUID = CBError(
    .invalidParameters, "a UUID does not have 2, 4 or 16 bytes", cure: "use CBUUID(string:)")
  static let foreignPeripheral = CBError(
    .unknownDevice, "the peripheral belongs to another central manager",
    cure: "retrieve it from the manager that connects")
  static let forgottenPeripheral = CBError(
    .unknownDevice, "the peripheral is no authorized accessory of this app",
    cure: "set it up with ASAccessorySession.showPicker")
}
