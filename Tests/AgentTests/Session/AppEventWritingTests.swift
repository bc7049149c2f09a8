// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import HCI
import InterfaceDefinition
import Interfaces
import JSON
import Manifest
import Registry
@testable import Setup
import Testing
import Varlink

@Suite("Events and accessories as apps receive them")
struct AppEventWritingTests {
  private static let picker = RandomIdentifier(high: 0xFEED, low: 0xBEEF)
  private static let epoch = Block128(high: 1, low: 2).text

  private static let kinds: [AppEvent.Kind] = [
    .activated, .invalidated(Sample.failure), .migrationComplete, .accessoryAdded(Sample.fullAccessory),
    .accessoryRemoved(Sample.fullAccessory),
    .accessoryChanged(Sample.fullAccessory, changed: AccessoryField.allCases),
    .accessoryDiscovered(discovered), .accessoryDiscovered(discoveredNetwork), .pickerDidPresent,
    .pickerDidDismiss, .pickerSetupBridging,
    .pickerSetupFailed(Sample.failure), .pickerSetupPairing, .pickerSetupRename, .pickerFinished(nil),
    .pickerFinished(Sample.failure),
  ]

  private static let discovered = DiscoveredAccessory(
    number: 7, itemIndex: 1, item: .bulb,
    report: DeviceReport(
      payload: [0x02, 0x01, 0x06], rssi: -61, isConnectable: true, time: Instant(microseconds: 11_900_000)))

  private static let discoveredNetwork = DiscoveredAccessory(
    number: 8, itemIndex: 0, item: nil, ssid: [0x43, 0xFF],
    report: DeviceReport(
      payload: [], rssi: -70, isConnectable: false, time: Instant(microseconds: 11_900_000)))

  private static func message(_ kind: AppEvent.Kind, passed: Int = 0, picker: RandomIdentifier? = Self.picker)
    -> [UInt8]
  {
    let event = AppEvent(kind, picker: picker, at: Instant(microseconds: 12_000_345))
    return Message.element("event", AppEventLine(event, sequence: 41, passed: passed, epoch: epoch))
  }

  private static func object(_ kind: AppEvent.Kind, passed: Int = 0, picker: RandomIdentifier? = Self.picker)
    throws
    -> JSONObject
  {
    try #require(try Described.reply(message(kind, passed: passed, picker: picker)).object("event"))
  }

  private static func names(_ object: JSONObject) -> [String] { object.members.map(\.name) }

  @Test("Every kind of event matches the interface", arguments: kinds.indices)
  func fits(index: Int) throws {
    for passed in [0, 3] {
      for picker in [nil, Self.picker] {
        let message = Self.message(Self.kinds[index], passed: passed, picker: picker)
        #expect(try Described.mismatch(message, of: "Activate", in: SessionInterface.self) == nil)
      }
    }
  }

  @Test("Each kind has AccessorySetupKit's name and raw value; pickerFinished has no value")
  func types() throws {
    for kind in Self.kinds {
      let object = try Self.object(kind)
      #expect(object.integer("eventType") == kind.type.map { Int64($0.rawValue) })
      #expect(object.text("event") == (kind.type?.name ?? "pickerFinished"))
    }
    #expect(Set(Self.kinds.compactMap(\.type)) == Set(AccessoryEventType.allCases).subtracting([.unknown]))
  }

  @Test("Every kind is read back as it was written", arguments: kinds.indices)
  func roundTrip(index: Int) throws {
    for passed in [0, 3] {
      let event = AppEvent(Self.kinds[index], picker: Self.picker, at: Instant(microseconds: 12_000_345))
      let line = AppEventLine(event, sequence: 41, passed: passed, epoch: Self.epoch)
      #expect(try AppEventLine(Self.object(Self.kinds[index], passed: passed)) == line)
    }
  }

  @Test("An event begins with its number and time, and has `passed` only when events were passed over")
  func place() throws {
    #expect(
      Self.names(try Self.object(.pickerDidPresent, passed: 2))
        == ["sequence", "passed", "epoch", "time", "event", "eventType", "picker"])
    #expect(
      Self.names(try Self.object(.activated, picker: nil))
        == ["sequence", "epoch", "time", "event", "eventType"])
    let text = String(decoding: Self.message(.activated, picker: nil), as: UTF8.self)
    #expect(text.contains(#""sequence":41,"epoch":"00000000000000010000000000000002","time":12.000345,"#))
  }

  @Test("The subject of an event follows, in the order of the interface")
  func subjects() throws {
    let changed = try Self.object(.accessoryChanged(Sample.fullAccessory, changed: [.displayName, .bond]))
    #expect(
      Self.names(changed)
        == ["sequence", "epoch", "time", "event", "eventType", "accessory", "changed", "picker"])
    #expect(changed["changed"] == .array([.string("displayName"), .string("bond")]))
    #expect(
      Self.names(try Self.object(.pickerFinished(Sample.failure)))
        == ["sequence", "epoch", "time", "event", "picker", "error"])
    let failed = try Self.object(.pickerSetupFailed(Sample.failure))
    guard case .object(let failure)? = failed["error"] else {
      Issue.record("there is an error")
      return
    }
    #expect(Self.names(failure) == ["code", "name", "field", "reason", "cure"])
    #expect(failure.text("name") == "invalidRequest")
  }

  @Test("A discovered device has a number, its item, its data, and its RSSI if there was one")
  func discovery() throws {
    var device = Self.discovered
    guard case .object(let full)? = try Self.object(.accessoryDiscovered(device))["discovered"] else {
      Issue.record("there is a device")
      return
    }
    #expect(
      Self.names(full)
        == [
          "discovered", "itemIndex", "item", "descriptor", "connectable", "time",
          "bluetoothAdvertisementData",
          "bluetoothRSSI",
        ])
    #expect(full.text("bluetoothAdvertisementData") == "020106")
    #expect(full.object("descriptor")?.integer("bluetoothCompanyIdentifier") == 0x0EEE)
    #expect(full.bool("connectable") && full["time"] == .double(11.9))
    device.item = nil
    device.report.rssi = nil
    device.report.payload = []
    let bare = Self.message(.accessoryDiscovered(device))
    #expect(try Described.mismatch(bare, of: "Activate", in: SessionInterface.self) == nil)
  }

  // MARK: - Accessories

  private static func message(_ accessory: AppAccessory) -> [UInt8] {
    Message.reply { $0.object("accessory", AppAccessoryLine(accessory)) }
  }

  @Test("An accessory is written in the order of the interface")
  func accessory() {
    #expect(
      String(decoding: Self.message(Sample.fullAccessory).dropLast(), as: UTF8.self) == """
        {"parameters":{"accessory":{"identifier":"00000000000000010000000000000abc",\
        "displayName":"Kitchen","state":20,"item":"bulb","descriptor":{"bluetoothCompanyIdentifier":3822,\
        "bluetoothManufacturerDataBlob":"a55a","bluetoothManufacturerDataMask":"ff0f",\
        "bluetoothServiceUUID":"fe0f","bluetoothRange":10},\
        "bluetoothIdentifier":"00000000000000020000000000000003","ssid":"Lumo-1",\
        "bluetoothTransportBridgingIdentifier":"010203040506",\
        "wifiAwarePairedDeviceID":"18446744073709551615","bond":"bonded","isIdentityDurable":true}}}
        """)
  }

  @Test("Absent members of an accessory are left out, and the smallest accessory matches the interface")
  func leastAccessory() throws {
    var device = Sample.device
    device.isIdentityDurable = false
    let least = AppAccessory(Sample.accessory, device, isInert: true)
    let message = Self.message(least)
    #expect(try Described.mismatch(message, of: "List", in: SessionInterface.self) == nil)
    let object = try #require(try Described.reply(message).object("accessory"))
    #expect(
      Self.names(object) == ["identifier", "displayName", "state", "descriptor", "bond", "isIdentityDurable"])
    #expect(object.integer("state") == 0)
  }

  @Test(
    "A network's bytes come as hex beside the text whenever the text is not the same",
    arguments: [
      (Array("Lümo".utf8), "Lümo", nil), ([0x4C, 0xFF, 0x6D], "L\u{FFFD}m", "4cff6d"),
      ([0x4C, 0x00, 0x6D], "L\u{FFFD}m", "4c006d"),
      ([0xED, 0xA0, 0x80], "\u{FFFD}\u{FFFD}\u{FFFD}", "eda080"),
      (Array("a\u{202E}b".utf8), "a\u{202E}b", nil),
    ] as [([UInt8], String, String?)])
  func network(ssid: [UInt8], text: String, hex: String?) throws {
    var accessory = Sample.fullAccessory
    accessory.ssid = ssid
    let message = Self.message(accessory)
    #expect(try Described.mismatch(message, of: "List", in: SessionInterface.self) == nil)
    let object = try #require(try Described.reply(message).object("accessory"))
    #expect(object.text("ssid") == text)
    #expect(object.text("ssidHex") == hex)
  }

  @Test("Every state and bond matches the interface")
  func states() throws {
    for bond in [BondState.none, .bonded, .lost] {
      for state in AccessoryState.allCases {
        var accessory = Sample.fullAccessory
        accessory.bond = bond
        accessory.state = state
        #expect(
          try Described.mismatch(Self.message(accessory), of: "List", in: SessionInterface.self) == nil)
      }
    }
  }

  @Test("A bridging identifier keeps its leading zeros")
  func bridging() throws {
    var accessory = Sample.fullAccessory
    accessory.bridgingIdentifier = 0xA
    let object = try #require(try Described.reply(Self.message(accessory)).object("accessory"))
    #expect(object.text("bluetoothTransportBridgingIdentifier") == "00000000000a")
  }

  @Test("Every field of an accessory that can change is named when it does")
  func changedNames() throws {
    guard case .type(.structure(let fields))? = SessionInterface.description().members["Accessory"] else {
      Issue.record("the interface describes accessories")
      return
    }
    // The bytes of ssid change with it, and the others never change.
    let names = Set(fields.map(\.name)).subtracting(["identifier", "item", "ssidHex"])
    // An app sees no address.
    #expect(Set(AccessoryField.allCases.map(\.rawValue)) == names.union(["device"]))
  }

  @Test("What Wi-Fi Aware calls the device is a field that can change")
  func changedPairedDevice() {
    var other = Sample.fullAccessory
    other.wifiAwarePairedDeviceID = 7
    #expect(Sample.fullAccessory.fieldsChanged(from: other) == [.wifiAwarePairedDeviceID])
  }
}
