// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AccessorySetupKit
@testable import AppForms
import Interfaces
import JSON
import SessionClient
import Testing

@Suite struct ValueTests {
  // MARK: - CBUUID

  @Test(arguments: [
    ("180d", "180D", 2), ("0x180D", "180D", 2), ("0000FE0F", "0000FE0F", 4),
    ("0000180d-0000-1000-8000-00805f9b34fb", "0000180D-0000-1000-8000-00805F9B34FB", 16),
    ("E56A082EC49B47CAA2AB389127B8ABE7", "E56A082E-C49B-47CA-A2AB-389127B8ABE7", 16),
  ])
  func `a UUID prints in the length in which it was written`(_ text: String, _ printed: String, _ count: Int)
  {
    let uuid = CBUUID(string: text)
    #expect(uuid.uuidString == printed && uuid.data.count == count && "\(uuid)" == printed)
    #expect(CBUUID(data: uuid.data) == uuid)
  }

  @Test func `UUIDs are compared in their long form`() {
    let forms = [
      CBUUID(string: "180D"), CBUUID(string: "0000180D"), CBUUID(data: Data([0x18, 0x0D])),
      CBUUID(nsuuid: UUID(uuidString: "0000180D-0000-1000-8000-00805F9B34FB")!),
    ]
    for form in forms { #expect(form == forms[0] && form.hash == forms[0].hash) }
    #expect(Set(forms).count == 1)
    #expect(CBUUID(string: "180E") != forms[0])
    #expect(CBUUID(data: Data([1, 2, 3])) != forms[0])
  }

  @Test(arguments: ["", "18", "180G", "18 0D", "0x0000180D", "180D180D180D", "１８０Ｄ"])
  func `other texts are no UUIDs`(_ text: String) {
    #expect(CBUUID(text: text) == nil)
  }

  @Test func `a text that is no UUID ends the program`() async {
    await #expect(processExitsWith: .failure) { _ = CBUUID(string: "dice") }
  }

  // MARK: - Advertisements

  @Test func `advertising data is shown as CoreBluetooth shows it`() {
    let payload: [UInt8] =
      [2, 0x01, 0x06]  // Flags, which are not shown.
      + [3, 0x03, 0x0D, 0x18]  // Complete 16-bit services.
      + [3, 0x02, 0x0F, 0xFE]  // Incomplete 16-bit services.
      + [5, 0x05, 0x01, 0x02, 0x03, 0x04]  // 32-bit services.
      + [4, 0x08, 0x44, 0x69, 0x65]  // Shortened name.
      + [6, 0x09, 0x44, 0x69, 0x63, 0x65, 0x00]  // Complete name, with a NUL.
      + [2, 0x0A, 0xF4]  // TX power of -12 dBm.
      + [4, 0x16, 0x0F, 0xFE, 0x2A]  // Service data.
      + [5, 0xFF, 0x4C, 0x00, 0x01, 0x02]  // Manufacturer data.
      + [4, 0xFF, 0x59, 0x00, 0x03]  // More of it.
      + [3, 0x14, 0x0A, 0x18]  // Solicited services.
    let values = AdvertisementDictionary(payload, isConnectable: true).values
    #expect(values[CBAdvertisementDataLocalNameKey] as? String == "Dice")
    #expect(values[CBAdvertisementDataManufacturerDataKey] as? Data == Data([0x4C, 0x00, 0x01, 0x02]))
    #expect(
      values[CBAdvertisementDataServiceDataKey] as? [CBUUID: Data] == [CBUUID(string: "FE0F"): Data([0x2A])])
    #expect(
      values[CBAdvertisementDataServiceUUIDsKey] as? [CBUUID]
        == ["180D", "FE0F", "04030201"].map { CBUUID(string: $0) })
    #expect(values[CBAdvertisementDataSolicitedServiceUUIDsKey] as? [CBUUID] == [CBUUID(string: "180A")])
    #expect(values[CBAdvertisementDataTxPowerLevelKey] as? Int == -12)
    #expect(values[CBAdvertisementDataTxPowerLevelKey] as? NSNumber == -12)
    #expect(values[CBAdvertisementDataIsConnectable] as? Bool == true)
    #expect(AdvertisementDictionary([], isConnectable: nil).values.isEmpty)
  }

  @Test func `a structure that runs past the end loses only what follows, a wrong size only itself`() {
    let damaged: [UInt8] =
      [4, 0x03, 0x0D, 0x18, 0x0F] + [3, 0x0A, 0x01, 0x02] + [4, 0x09, 0x44, 0x69, 0x65] + [9, 0xFF, 1]
    let values = AdvertisementDictionary(damaged, isConnectable: false).values
    #expect(values.count == 2 && values[CBAdvertisementDataLocalNameKey] as? String == "Die")
    #expect(values[CBAdvertisementDataIsConnectable] as? Bool == false)
    for length in damaged.indices {
      _ = AdvertisementDictionary(Array(damaged[..<length]), isConnectable: nil).values
    }
  }

  // MARK: - Errors

  @Test func `errors have their domain, code and texts in every disguise`() {
    let failure = SessionError(.userCancelled, field: "picker", "no operator chose", cure: "ask again")
    let error: any Error = ASError(failure)
    #expect(error.localizedDescription == "no operator chose; ask again")
    #expect("\(error)" == "ASError.userCancelled (700): no operator chose; ask again")
    #expect(String(describing: ASError(.invalidated)) == "ASError.invalidated (400)")
    #expect((error as NSError).domain == ASErrorDomain && (error as NSError).code == 700)
    #expect((error as? ASError)?.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String == "ask again")
    #expect(ASError(.unknown, userInfo: ["a": "b", "n": 1]) == ASError(.unknown, userInfo: ["a": "b"]))
    do { throw error } catch ASError.userCancelled {} catch { Issue.record("it is not recognised") }
    for code in SessionError.Code.allCases {
      #expect(ASError(SessionError(code, "", cure: "")).code.rawValue == code.rawValue)
    }
  }

  // MARK: - Accessories and items

  private static func accessory(_ digit: Character, name: String) -> ASAccessory {
    ASAccessory(
      AppAccessoryLine(
        identifier: String(repeating: digit, count: 32), displayName: name, state: 99,
        descriptor: DescriptorLine(), bluetoothIdentifier: "short", bond: .none, isIdentityDurable: true))
  }

  @Test func `an accessory is equal to itself alone, as any object of iOS`() {
    let lamp = Self.accessory("1", name: "Lamp")
    var book = AccessoryBook()
    book.note(lamp, "old")
    book.note(lamp, "new")
    book.note(Self.accessory("1", name: "Bulb"), "changed")
    #expect(book.seen.count == 2 && book.notes[AnyHashable(lamp)] == "new")
    #expect(lamp == lamp && lamp != Self.accessory("1", name: "Lamp"))
    #expect(Self.accessory("1", name: "").state == .unauthorized)
    #expect(Self.accessory("1", name: "").bluetoothIdentifier == nil)
    #expect(Self.accessory("1", name: "").wifiAwarePairedDeviceID == 0)
  }

  @Test func `an item copies its descriptor, and settings are copied when they are set`() {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(76)
    let item = ASPickerDisplayItem(name: "Die", productImage: UIImage(), descriptor: descriptor)
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(77)
    #expect(item.descriptor.bluetoothCompanyIdentifier.rawValue == 76 && item.descriptor === item.descriptor)
    let session = ASAccessorySession()
    let settings = ASPickerDisplaySettings.default
    session.pickerDisplaySettings = settings
    settings.discoveryTimeout = .long
    #expect(session.pickerDisplaySettings?.discoveryTimeout.rawValue == 30)
    #expect(ASPickerDisplaySettings.default !== ASPickerDisplaySettings.default)
  }

  @Test(
    arguments: [
      (30.0, nil), (0.2, "1"), (59.5, "60"), (60, "60"), (3600, "3600"), (.infinity, "unbounded"),
    ] as [(Double, String?)])
  func `a timeout is sent in whole seconds`(_ seconds: Double, _ text: String?) throws {
    let settings = ASPickerDisplaySettings()
    settings.discoveryTimeout = .init(seconds)
    #expect(try settings.requested.discoveryTimeout == text)
  }

  @Test(arguments: [0, -1, 3601, .nan, -.infinity] as [Double])
  func `other timeouts are refused`(_ seconds: Double) {
    let settings = ASPickerDisplaySettings()
    settings.discoveryTimeout = .init(seconds)
    #expect(throws: SessionError.self) { try settings.requested }
  }

  @Test func `an item is sent with Apple's names, without what is not set`() throws {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothServiceUUID = CBUUID(string: "fe0f")
    descriptor.bluetoothServiceDataBlob = Data([0xA5, 0x5A])
    descriptor.bluetoothServiceDataMask = Data([0xFF, 0xFF])
    descriptor.bluetoothNameSubstring = "Die"
    descriptor.bluetoothNameSubstringCompareOptions = [.caseInsensitive, .anchored]
    descriptor.bluetoothRange = .immediate
    descriptor.supportedOptions = [.bluetoothPairingLE, .bluetoothHID]
    let item = ASMigrationDisplayItem(
      name: "Die", productImage: UIImage(named: "die.png")!, descriptor: descriptor)
    item.setupOptions = [.rename, .finishInApp]
    item.renameOptions = .ssid
    item.peripheralIdentifier = UUID(uuidString: "00000000-0000-0000-0000-AABBCCDDEEFF")
    item.wifiAwarePairedDeviceID = .max
    var json = JSONWriter()
    json.line { json in try? item.requested(at: "items[0]").writeMembers(to: &json) }
    #expect(
      String(decoding: json.takeBytes(), as: UTF8.self)
        == "{\"name\":\"Die\",\"productImage\":\"die.png\",\"descriptor\":{\"bluetoothServiceUUID\":\"FE0F\","
        + "\"bluetoothServiceDataBlob\":\"a55a\",\"bluetoothServiceDataMask\":\"ffff\","
        + "\"bluetoothNameSubstring\":\"Die\",\"bluetoothNameSubstringCompareOptions\":9,\"bluetoothRange\":10,"
        + "\"supportedOptions\":10},\"setupOptions\":5,\"renameOptions\":1,"
        + "\"migrate\":{\"bluetoothIdentifier\":\"00000000000000000000aabbccddeeff\","
        + "\"wifiAwarePairedDeviceID\":\"18446744073709551615\"}}\n")
  }

  @Test func `a descriptor of the agent reads back as it was sent`() throws {
    let descriptor = ASDiscoveryDescriptor()
    descriptor.bluetoothCompanyIdentifier = ASBluetoothCompanyIdentifier(0x0EEE)
    descriptor.bluetoothManufacturerDataBlob = Data([1, 2])
    descriptor.ssidPrefix = "Net"
    descriptor.supportedOptions = .bluetoothTransportBridging
    descriptor.wifiAwareServiceName = "_x._tcp"
    descriptor.wifiAwareServiceRole = .publisher
    descriptor.wifiAwareModelNameMatch = ASPropertyCompareString(string: "M", compareOptions: .anchored)
    descriptor.wifiAwareVendorNameMatch = ASPropertyCompareString(string: "V")
    let line = try descriptor.line(at: "descriptor")
    #expect(line.wifiAwareServiceRole == 20 && line.wifiAwareModelNameMatch?.compareOptions == 8)
    #expect(try ASDiscoveryDescriptor(line).line(at: "descriptor") == line)
    #expect(ASDiscoveryDescriptor(line).wifiAwareVendorNameMatch == descriptor.wifiAwareVendorNameMatch)
    #expect(try (descriptor.copy() as? ASDiscoveryDescriptor)?.line(at: "descriptor") == line)
  }

  @Test func `an image without a short text is left out`() {
    #expect(UIImage(systemName: "dice")?.withTintColor(.systemBlue).productText == "dice")
    #expect(UIImage().productText == nil && UIImage(data: Data([1]))?.productText == nil)
    #expect(UIImage(named: String(repeating: "x", count: 256))?.productText == nil)
  }

  @Test func `updateAuthorization asks only for what the accessory does not have`() throws {
    var line = Self.accessory("1", name: "Lamp").line
    line.descriptor.ssidPrefix = "Net"
    let descriptor = ASDiscoveryDescriptor()
    descriptor.ssidPrefix = "Net"
    descriptor.ssid = "Net-1"
    descriptor.bluetoothNameSubstring = "Lamp"
    var expected = DescriptorLine()
    expected.ssid = AirText(Array("Net-1".utf8))
    #expect(try descriptor.networkLine(for: ASAccessory(line)) == expected)
    descriptor.wifiAwareServiceName = "_x._tcp"
    expected.wifiAwareServiceName = "_x._tcp"
    #expect(try descriptor.networkLine(for: ASAccessory(line)) == expected)
    line.descriptor.wifiAwareServiceName = "_x._tcp"
    expected.wifiAwareServiceName = nil
    #expect(try descriptor.networkLine(for: ASAccessory(line)) == expected)
  }
}
