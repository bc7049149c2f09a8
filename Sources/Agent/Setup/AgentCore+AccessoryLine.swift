// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import Interfaces
import Manifest
import Registry
import Setup
import Wireless

extension AgentCore {
  /// What operators see of an accessory.
  func line(of accessory: RegistryAccessory) -> AccessoryLine {
    let device = setupCore.registry.device(of: accessory)
    let heard = dataPath.row(of: device)
    let row = heard.flatMap { row in dataPath.isFound(at: row) ? row : nil }
    let network = device.identity.ssid.flatMap { networkInSight($0) }
    let status = setupCore.status(of: accessory)
    var line = AccessoryLine(
      identifier: accessory.identifier.text, app: accessory.app, item: accessory.item,
      displayName: device.displayName,
      state: status == .orphaned ? .unauthorized : AccessoryLine.State(accessory.state),
      status: status,
      address: device.identity.address, ssid: accessory.ssid.map { AirText($0) },
      bond: BondState(device.bond),
      isIdentityDurable: device.isIdentityDurable,
      isInSight: row != nil || network != nil,
      isHeard: heard != nil && row == nil && network == nil ? true : nil,
      filteredRSSI: row.flatMap { dataPath.pipeline.device(at: $0)?.signal.filteredRSSI } ?? network?.signal,
      addedAt: accessory.addedAt)
    if let view = heard.flatMap({ dataPath.device(atRow: $0) }) {
      line.silence = view.silence
      line.intervalMilliseconds = view.device.signal.learnedMilliseconds
      line.rhythmMilliseconds = view.device.rhythmMilliseconds
      line.values = view.values
    }
    line.connection = links.link(of: accessory.identifier).map { $0.isConnecting ? .connecting : .connected }
    line.bondOwner = device.bond.record?.owner
    line.isBondAuthenticated = device.bond.record?.isAuthenticated
    if setupCore.lacksAuthenticatedBond(device) { line.lacksAuthenticatedBond = true }
    if case .lost = device.bond {
      line.pairingNote = pairingNote(ofInputDevices: setupCore.isInputDevice(device))
    }
    return line
  }
}

extension AccessoryLine.State {
  fileprivate init(_ state: AccessoryState) {
    switch state {
    case .unauthorized: self = .unauthorized
    case .awaitingAuthorization: self = .awaitingAuthorization
    case .authorized: self = .authorized
    }
  }
}
