// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import SessionClient
import Testing

/// What an app does wrong, with the real agent: each is an error with its field, and the session goes on.
@Suite struct BadInputTests {
  private let gateway = ScriptedGateway()

  private func bulb(setupOptions: UInt = 0) throws -> AppAccessoryLine {
    gateway.setUpBulb(setupOptions: setupOptions)
    return try #require(gateway.accessories().first)
  }

  /// The error of a call.
  private func failure(_ request: SessionRequest) throws -> SessionError {
    gateway.beginCall(request, wait: 1)
    return try #require(gateway.lastFailure())
  }

  @Test func `a picker for what the manifest does not declare names the field`() throws {
    gateway.activate()
    let error = try failure(ScriptedGateway.picker(company: 0x0EEF))
    #expect(error.code == .invalidRequest)
    #expect(error.field == "items[0].descriptor.bluetoothCompanyIdentifier")
    #expect(error.cure.contains("manifest"))
  }

  @Test func `calls that the state does not allow are refused, and the session goes on`() throws {
    gateway.activate()
    for request in [SessionRequest.updatePicker([]), .finishPickerDiscovery, .cancelPicker] {
      #expect(try failure(request).code == .invalidRequest)
    }
    let authorized = try bulb().identifier
    for request in [
      SessionRequest.finishAuthorization(authorized, ssid: nil, bridgingIdentifier: nil),
      .failAuthorization(authorized), .readRSSI(authorized),
    ] {
      let error = try failure(request)
      #expect([.invalidRequest, .connectionFailed].contains(error.code) && !error.cure.isEmpty)
    }
    #expect(gateway.accessories().map(\.state) == [20])
  }

  @Test func `an accessory that is not the app's gets the same error as one that never was`() throws {
    gateway.activate()
    let removed = try bulb().identifier
    gateway.beginCall(.removeAccessory(removed), wait: 1)
    for identifier in [removed, String(repeating: "7", count: 32)] {
      for request in [
        SessionRequest.removeAccessory(identifier), .renameAccessory(identifier, options: 0),
        .finishAuthorization(identifier, ssid: nil, bridgingIdentifier: nil), .failAuthorization(identifier),
        .resolve(identifier), .connect(accessory: identifier), .readRSSI(identifier),
      ] {
        let error = try failure(request)
        #expect(error.code == .invalidRequest && error.field == "accessory", "\(request)")
        #expect(error.reason == "the app has no such accessory", "\(request)")
      }
    }
  }

  @Test func `a gateway that cannot connect says so without a field`() throws {
    gateway.activate()
    let error = try failure(.connect(accessory: try bulb().identifier))
    #expect(error.code == .invalidRequest && error.field == nil && !error.cure.isEmpty)
  }
}
