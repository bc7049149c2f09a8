// SPDX-License-Identifier: GPL-3.0-or-later

import CoreBluetooth
import Testing

/// The names, types and values that apps are compiled against.
@Suite struct DeclarationTests {
  @Test func statesHaveTheirRawValues() {
    let managers: [CBManagerState] = [
      .unknown, .resetting, .unsupported, .unauthorized, .poweredOff, .poweredOn,
    ]
    #expect(managers.map(\.rawValue) == Array(0...5))
    let authorizations: [CBManagerAuthorization] = [.notDetermined, .restricted, .denied, .allowedAlways]
    #expect(authorizations.map(\.rawValue) == Array(0...3))
    let peripherals: [CBPeripheralState] = [.disconnected, .connecting, .connected, .disconnecting]
    #expect(peripherals.map(\.rawValue) == Array(0...3))
    #expect([CBCharacteristicWriteType.withResponse, .withoutResponse].map(\.rawValue) == [0, 1])
    #expect(CBManager.authorization == .allowedAlways)
    #expect(CBCentralManager.supports([]))
    #expect(!CBCentralManager.supports(.extendedScanAndConnect))
    #expect(!CBCentralManager.supports(.channelSounding))
    #expect(CBChannelSoundingSessionConfiguration(role: .initiator).role == .initiator)
  }

  @Test func propertiesHaveTheirBits() {
    let properties: [CBCharacteristicProperties] = [
      .broadcast, .read, .writeWithoutResponse, .write, .notify, .indicate, .authenticatedSignedWrites,
      .extendedProperties, .notifyEncryptionRequired, .indicateEncryptionRequired,
    ]
    #expect(properties.map(\.rawValue) == (0..<10).map { 1 << $0 })
  }

  @Test func attributesThatAnAppDescribesAreValues() {
    let service = CBMutableService(type: CBUUID(string: "180F"), primary: false)
    let level = CBMutableCharacteristic(
      type: CBUUID(string: "2A19"), properties: [.read, .notify], value: nil, permissions: .readable)
    let words = CBMutableDescriptor(type: CBUUID(string: "2901"), value: "Level")
    level.value = Data([97])
    level.permissions.insert(.writeEncryptionRequired)
    level.descriptors = [words]
    service.characteristics = [level]
    #expect(service.uuid == CBUUID(string: "180F") && !service.isPrimary && service.peripheral == nil)
    #expect((service.characteristics?.first?.value).map { Array($0) } == [97])
    #expect(level.properties == [.read, .notify] && level.service == nil)
    #expect(level.descriptors?.first?.value as? String == "Level")
    let permissions: [CBAttributePermissions] = [
      .readable, .writeable, .readEncryptionRequired, .writeEncryptionRequired,
    ]
    #expect(permissions.map(\.rawValue) == [1, 2, 4, 8] && level.permissions.rawValue == 9)
  }

  @Test func theTimeIsSecondsSince2001() {
    let now: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    #expect(abs(now - Date().timeIntervalSinceReferenceDate) < 60)
  }

  @Test func errorsHaveTheirCodesAndDomains() throws {
    let codes = (0...20).compactMap { CBError.Code(rawValue: $0) }
    #expect(codes.count == 21)
    #expect(codes.map { (CBError($0) as NSError).code } == Array(0...20))
    #expect((CBError(.notConnected) as NSError).domain == CBErrorDomain)
    #expect(
      [CBErrorDomain, CBError.errorDomain, CBError.Code.errorDomain].allSatisfy { $0 == "CBErrorDomain" })
    #expect(CBError(.unknown, userInfo: ["key": "text"]).errorUserInfo["key"] as? String == "text")
    let refusals = (0...17).compactMap { CBATTError.Code(rawValue: $0) }
    #expect(refusals.map { (CBATTError($0) as NSError).code } == Array(0...17))
    #expect((CBATTError(.readNotPermitted) as NSError).domain == CBATTErrorDomain)
    #expect(CBATTErrorDomain == "CBATTErrorDomain")
    do {
      throw CBATTError(.insufficientEncryption, userInfo: [NSLocalizedDescriptionKey: "no key"])
    } catch CBATTError.insufficientEncryption {
    }
    do { throw CBError(.peripheralDisconnected) } catch CBError.peripheralDisconnected {}
    let error: any Error = CBError(.unknown, userInfo: [NSLocalizedDescriptionKey: "why"])
    #expect(error.localizedDescription == "why")
    #expect((error as? CBError)?.userInfo[NSLocalizedDescriptionKey] as? String == "why")
    #expect("\(error)" == "CBError.unknown (0): why")
    #expect("\(CBATTError(.readNotPermitted))" == "CBATTError.readNotPermitted (2)")
  }

  @Test func keysHaveTheValuesOfIOS() {
    #expect(CBCentralManagerOptionShowPowerAlertKey == "kCBInitOptionShowPowerAlert")
    #expect(CBCentralManagerOptionRestoreIdentifierKey == "kCBInitOptionRestoreIdentifier")
    #expect(CBCentralManagerScanOptionAllowDuplicatesKey == "kCBScanOptionAllowDuplicates")
    #expect(CBCentralManagerScanOptionSolicitedServiceUUIDsKey == "kCBScanOptionSolicitedServiceUUIDs")
    #expect(CBConnectPeripheralOptionNotifyOnConnectionKey == "kCBConnectOptionNotifyOnConnection")
    #expect(CBConnectPeripheralOptionNotifyOnDisconnectionKey == "kCBConnectOptionNotifyOnDisconnection")
    #expect(CBConnectPeripheralOptionNotifyOnNotificationKey == "kCBConnectOptionNotifyOnNotification")
    #expect(CBConnectPeripheralOptionStartDelayKey == "kCBConnectOptionStartDelay")
    #expect(CBConnectPeripheralOptionEnableAutoReconnect == "kCBConnectOptionEnableAutoReconnect")
    #expect(CBConnectPeripheralOptionEnableTransportBridgingKey == "kCBConnectOptionEnableTransportBridging")
    #expect(CBConnectPeripheralOptionRequiresANCS == "kCBConnectOptionRequiresANCS")
    #expect(CBCentralManagerRestoredStatePeripheralsKey == "kCBRestoredPeripherals")
    #expect(CBCentralManagerRestoredStateScanServicesKey == "kCBRestoredScanServices")
    #expect(CBCentralManagerRestoredStateScanOptionsKey == "kCBRestoredScanOptions")
    #expect(CBAdvertisementDataServiceUUIDsKey == "kCBAdvDataServiceUUIDs")
    let descriptors = [
      CBUUIDCharacteristicExtendedPropertiesString, CBUUIDCharacteristicUserDescriptionString,
      CBUUIDClientCharacteristicConfigurationString, CBUUIDServerCharacteristicConfigurationString,
      CBUUIDCharacteristicFormatString, CBUUIDCharacteristicAggregateFormatString,
      CBUUIDCharacteristicValidRangeString,
    ]
    #expect(descriptors.map { CBUUID(string: $0).data } == (0...6).map { Data([0x29, $0]) })
  }

  /// The type of each method, written out; none of them is called.
  @Test func methodsHaveTheirTypes() {
    let manager: (CBCentralManager) -> (CBPeripheral, [String: Any]?) -> Void = CBCentralManager.connect
    let scan: (CBCentralManager) -> ([CBUUID]?, [String: Any]?) -> Void = CBCentralManager.scanForPeripherals
    let make: ((any CBCentralManagerDelegate)?, DispatchQueue?, [String: Any]?) -> CBCentralManager =
      CBCentralManager.init(delegate:queue:options:)
    let retrieve: (CBCentralManager) -> ([UUID]) -> [CBPeripheral] =
      CBCentralManager.retrievePeripherals(withIdentifiers:)
    let write: (CBPeripheral) -> (Data, CBCharacteristic, CBCharacteristicWriteType) -> Void =
      CBPeripheral.writeValue(_:for:type:)
    let notify: (CBPeripheral) -> (Bool, CBCharacteristic) -> Void = CBPeripheral.setNotifyValue(_:for:)
    let length: (CBPeripheral) -> (CBCharacteristicWriteType) -> Int =
      CBPeripheral.maximumWriteValueLength(for:)
    let values: (KeyPath<CBCharacteristic, Data?>, KeyPath<CBDescriptor, Any?>, KeyPath<CBService, Bool>) =
      (\.value, \.value, \.isPrimary)
    let peripheral: (KeyPath<CBPeripheral, Bool>, KeyPath<CBPeripheral, String?>, KeyPath<CBPeer, UUID>) =
      (\.ancsAuthorized, \.name, \.identifier)
    let time: CFAbsoluteTime = 0
    _ = (manager, scan, make, retrieve, write, notify, length, values, peripheral, time)
  }
}
