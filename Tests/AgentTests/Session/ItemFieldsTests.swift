// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import Discovery
import HCI
import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Testing
import Explanation
import Varlink

@Suite("Items of a picker in the calls of apps")
struct ItemFieldsTests {
  private static let session = "00000000000000000000000000000001"

  private static let former = RandomIdentifier(high: 0x1234, low: 5)
  private static let address = DeviceAddress(bits: 0xC4A1_0000_1E27, type: .random)

  private static func items(_ text: String, of app: App = Sample.app) throws -> [PickerItem] {
    try read(text, of: app).items
  }

  private static func read(
    _ text: String, of app: App = Sample.app
  ) throws -> (items: [PickerItem], leftOut: [SetupError]) {
    let parameters = try Described.parameters(
      .showPicker, "{\"session\":\"\(session)\",\"items\":\(text)}")
    return try ItemFields.read(try #require(parameters["items"]), of: app, firstNumber: 5) {
      (source, field) throws(SetupError) in
      if case .network(let name) = source { return .success(MigratedDevice(source, .network(name))) }
      if case .address = source { return .success(MigratedDevice(source, nil)) }
      guard source == .identifier(Self.former) else {
        return .failure(SetupError(.invalidRequest, field: field, "unknown", cure: ""))
      }
      return .success(MigratedDevice(source, .bluetooth(Self.address)))
    }
  }

  private static func failure(_ text: String, of app: App = Sample.app) throws -> SetupError {
    try #require(throws: SetupError.self) { try items(text, of: app) }
  }

  /// An item with this descriptor.
  private static func supplied(_ descriptor: String, _ more: String = "") -> String {
    "[{\"name\":\"Bulb\",\"descriptor\":\(descriptor)\(more)}]"
  }

  // MARK: - Migration

  private static let migration = #""migrate":{"bluetoothIdentifier":"00000000-0000-1234-0000-000000000005"}"#

  @Test("An item migrates the device with an identifier, whether it is in the manifest or not")
  func migrations() throws {
    let descriptor = #"{"bluetoothServiceUUID":"FE0F"}"#
    let supplied = try Self.items(Self.supplied(descriptor, "," + Self.migration))
    #expect(supplied.map(\.migration) == [MigratedDevice(.identifier(Self.former), .bluetooth(Self.address))])
    let known = try Self.items(#"[{"item":"bulb"},{"item":"bulb",\#(Self.migration)}]"#)
    #expect(known.map { $0.migration != nil } == [false, true])
    #expect(known.map(\.item.id) == ["bulb", "bulb"])
  }

  @Test("An unknown device is left out, and the other items keep their places")
  func leftOut() throws {
    let unknown = #"{"item":"bulb","migrate":{"bluetoothIdentifier":"00000000000012340000000000000006"}}"#
    let (items, leftOut) = try Self.read("[\(unknown),{\"item\":\"bulb\"}]")
    #expect(items.map(\.index) == [1])
    #expect(leftOut.map(\.field) == ["items[0].migrate.bluetoothIdentifier"])
    #expect(try Self.failure("[\(unknown)]").reason == "unknown")
  }

  @Test(
    "What is wrong with a migration is refused with its field",
    arguments: [
      (#"{}"#, "items[0].migrate.bluetoothIdentifier"),
      (#"{"wifiAwarePairedDeviceID":"7"}"#, "items[0].migrate.wifiAwarePairedDeviceID"),
      (#"{"ssid":"Cam-1","wifiAwarePairedDeviceID":"0"}"#, "items[0].migrate.wifiAwarePairedDeviceID"),
      (
        #"{"ssid":"Cam-1","wifiAwarePairedDeviceID":"18446744073709551616"}"#,
        "items[0].migrate.wifiAwarePairedDeviceID"
      ),
      (
        #"{"bluetoothIdentifier":"00000000000012340000000000000005","wifiAwarePairedDeviceID":"7"}"#,
        "items[0].migrate.wifiAwarePairedDeviceID"
      ),
      (#"{"ssid":"Cam-1"}"#, "items[0].migrate.ssid"),
      (#"{"ssid":""}"#, "items[0].migrate.ssid"),
      (#"{"ssid":"a name of more than thirty-two bytes"}"#, "items[0].migrate.ssid"),
      (#"{"bluetoothIdentifier":"1234","ssid":"Cam-1"}"#, "items[0].migrate.bluetoothIdentifier"),
      (#"{"bluetoothIdentifier":"1234"}"#, "items[0].migrate.bluetoothIdentifier"),
      (#"{"bluetoothIdentifier":"C4:A1:00:00:1E:27"}"#, "items[0].migrate.bluetoothIdentifier"),
      (
        #"{"bluetoothIdentifier":"00000000000012340000000000000006"}"#, "items[0].migrate.bluetoothIdentifier"
      ),
    ])
  func migrationProblems(migrate: String, field: String) throws {
    let error = try Self.failure(#"[{"item":"bulb","migrate":\#(migrate)}]"#)
    #expect(error.code == .invalidRequest && error.field == field)
  }

  @Test("A device migrates once, and only to an item that recognises it by Bluetooth")
  func migrationConflicts() throws {
    let twice = try Self.failure(#"[{"item":"bulb",\#(Self.migration)},{"item":"bulb",\#(Self.migration)}]"#)
    #expect(twice.field == "items[1].migrate.bluetoothIdentifier")
  }

  @Test(
    "Twenty zeros and an address are an address, of which nothing is looked up",
    arguments: ["00000000-0000-0000-0000-C4A100001E27", "00000000000000000000c4a100001e27"])
  func addresses(text: String) throws {
    let item = #"{"item":"bulb","migrate":{"bluetoothIdentifier":"\#(text)"}}"#
    let device = MigratedDevice(.address(Self.address.bits), nil)
    #expect(try Self.items("[\(item)]").map(\.migration) == [device])
    #expect(try Self.failure("[\(item),\(item)]").field == "items[1].migrate.bluetoothIdentifier")
    for other in ["00000000-0000-0000-0001-C4A100001E27", "C4:A1:00:00:1E:27"] {
      let item = #"{"item":"bulb","migrate":{"bluetoothIdentifier":"\#(other)"}}"#
      #expect(try Self.failure("[\(item)]").field == "items[0].migrate.bluetoothIdentifier")
    }
  }

  // MARK: - Items of the manifest

  @Test("An item is named by its id in the manifest")
  func known() throws {
    let items = try Self.items(#"[{"item":"held"},{"item":"bulb","name":null}]"#)
    #expect(items.map(\.item) == [.touchBulb, .bulb] && items.map(\.index) == [0, 1])
    #expect(items.allSatisfy { !$0.isAppSupplied && $0.migration == nil })
  }

  @Test("An unknown id is refused with the ids that can be chosen, without those that are only observed")
  func unknown() throws {
    let failure = try Self.failure(#"[{"item":"bulb"},{"item":"lamp"}]"#)
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "items[1].item")
    #expect(failure.reason == #"the app has no item "lamp" in the manifest"#)
    #expect(failure.cure == #"use one of "bulb", "held""#)
    // Another spelling of the same characters is another id.
    #expect(try Self.failure(#"[{"item":"BULB"}]"#).field == "items[0].item")
    #expect(try Self.failure(#"[{"item":""}]"#).field == "items[0].item")
    #expect(try Self.failure(#"[{"item":"call:5"}]"#).field == "items[0].item")
  }

  @Test("Some ids are listed and the others counted; for an app without items the cure says what to add")
  func listing() throws {
    var app = Sample.app
    app.items = (0..<40).map { DisplayItem(id: "item\($0)", name: "Item") }
    let cure = try Self.failure(#"[{"item":"x"}]"#, of: app).cure
    #expect(cure.hasPrefix(#"use one of "item0", "item1","#))
    #expect(cure.hasSuffix(#""item15" or 24 others"#))
    app.items = []
    #expect(
      try Self.failure(#"[{"item":"x"}]"#, of: app).cure
        == "add it to the manifest, or give a name and a descriptor")
  }

  @Test("An item that is only observed is never set up")
  func observed() throws {
    let failure = try Self.failure(#"[{"item":"sensor"}]"#)
    #expect(failure.field == "items[0].item")
    #expect(failure.reason.contains("only observed"))
  }

  @Test(
    "An item with an id has no other field",
    arguments: [
      #""name":"x""#, #""productImage":"x""#, #""descriptor":{}"#, #""setupOptions":0"#,
      #""renameOptions":1"#,
    ])
  func beside(field: String) throws {
    let name = try #require(field.split(separator: "\"").first)
    #expect(try Self.failure("[{\"item\":\"bulb\",\(field)}]").field == "items[0].\(name)")
    #expect(try Self.failure("[{\(field),\"item\":\"nothing\"}]").field == "items[0].\(name)")
  }

  @Test("An item may be listed only once")
  func twice() throws {
    #expect(try Self.failure(#"[{"item":"bulb"},{"item":"bulb"}]"#).field == "items[1].item")
  }

  // MARK: - Items in the call

  @Test("An item in the call is what the app describes, and gets the next id")
  func supplied() throws {
    let text = """
      [{"item":"bulb"},{"name":"Lümo \\u202e","productImage":"lumo.png","descriptor":{\
      "bluetoothCompanyIdentifier":0,"bluetoothNameSubstring":"Lumo","bluetoothRange":10},\
      "setupOptions":7,"renameOptions":1}]
      """
    let items = try Self.items(text)
    #expect(items.map(\.isAppSupplied) == [false, true])
    let item = items[1].item
    #expect(item.id == "call:6")
    #expect(item.name == "Lümo \u{202E}")
    #expect(item.productImage == "lumo.png")
    #expect(item.descriptor.companyIdentifier == 0)
    #expect(item.gate.isImmediate)
    #expect(item.selection == .operator)
    #expect(item.setupOptions == [.rename, .confirmAuthorization, .finishInApp])
    #expect(item.renameOptions == .ssid)
  }

  @Test("Rename options without the option rename are accepted and have no effect")
  func renameOptionsAlone() throws {
    let items = try Self.items(Self.supplied(#"{"ssidPrefix":"Lumo-"}"#, #","renameOptions":1"#))
    #expect(items[0].item.setupOptions.isEmpty)
    #expect(items[0].item.renameOptions == .ssid)
  }

  @Test(
    "What AccessorySetupKit crashes the app for is an invalid request that names the field",
    arguments: [
      // Combinations of clauses.
      ("{}", ""), (#"{"bluetoothRange":10}"#, ""),
      (#"{"bluetoothNameSubstring":"Lumo"}"#, "bluetoothNameSubstring"),
      (#"{"bluetoothManufacturerDataBlob":"00"}"#, "bluetoothManufacturerDataBlob"),
      (
        #"{"bluetoothServiceUUID":"fe0f","bluetoothManufacturerDataBlob":"00"}"#,
        "bluetoothManufacturerDataBlob"
      ),
      (#"{"bluetoothServiceDataBlob":"00"}"#, "bluetoothServiceDataBlob"),
      (#"{"bluetoothCompanyIdentifier":0,"bluetoothServiceDataBlob":"00"}"#, "bluetoothServiceDataBlob"),
      (#"{"ssid":"a","ssidPrefix":"b"}"#, "ssidPrefix"),
      (#"{"ssid":"a","bluetoothRange":10}"#, "bluetoothRange"),
      (#"{"ssid":"a","supportedOptions":2}"#, "supportedOptions"),
      (
        #"{"bluetoothCompanyIdentifier":0,"bluetoothNameSubstringCompareOptions":1}"#,
        "bluetoothNameSubstringCompareOptions"
      ),
      // Declarations of the app.
      (#"{"bluetoothCompanyIdentifier":76}"#, "bluetoothCompanyIdentifier"),
      (#"{"bluetoothServiceUUID":"fe0e"}"#, "bluetoothServiceUUID"),
      (#"{"bluetoothCompanyIdentifier":0,"bluetoothNameSubstring":"lumo"}"#, "bluetoothNameSubstring"),
      // Single fields.
      (#"{"bluetoothCompanyIdentifier":65536}"#, "bluetoothCompanyIdentifier"),
      (#"{"bluetoothCompanyIdentifier":-9007199254740991}"#, "bluetoothCompanyIdentifier"),
      (#"{"bluetoothCompanyIdentifier":0,"supportedOptions":1}"#, "supportedOptions"),
      (#"{"bluetoothCompanyIdentifier":0,"supportedOptions":9007199254740991}"#, "supportedOptions"),
      (#"{"bluetoothCompanyIdentifier":0,"bluetoothRange":1}"#, "bluetoothRange"),
      (#"{"bluetoothServiceUUID":""}"#, "bluetoothServiceUUID"),
    ])
  func refuses(descriptor: String, field: String) throws {
    let failure = try Self.failure(Self.supplied(descriptor))
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "items[0].descriptor" + (field.isEmpty ? "" : ".\(field)"))
    #expect(!failure.reason.isEmpty && !failure.cure.isEmpty)
    // The words of the manifest mean nothing to an app.
    #expect(!failure.reason.contains("-prefix") && !failure.reason.contains("-blob"))
    #expect(try Described.mismatch(ofError: failure.message, in: SessionInterface.self) == nil)
  }

  @Test("A radio that the app does not declare is refused at the field that uses it")
  func technologies() throws {
    var app = Sample.app
    app.supports = [.bluetooth]
    #expect(try Self.failure(Self.supplied(#"{"ssid":"Lumo"}"#), of: app).field == "items[0].descriptor.ssid")
    #expect(
      try Self.failure(Self.supplied(#"{"ssidPrefix":"Lumo"}"#), of: app).field
        == "items[0].descriptor.ssidPrefix")
    app.supports = [.wifi]
    #expect(
      try Self.failure(Self.supplied(#"{"bluetoothCompanyIdentifier":0}"#), of: app).field
        == "items[0].descriptor")
  }

  @Test("A service may have 4 or 32 digits")
  func longUUID() throws {
    let long = #"{"bluetoothServiceUUID":"0000FE0F-0000-1000-8000-00805F9B34FB"}"#
    #expect(
      try Self.items(Self.supplied(long))[0].item.descriptor.serviceUUID == BluetoothUUID(short: 0xFE0F))
  }

  @Test(
    "Names, images and options are held to their bounds",
    arguments: [
      (#""name":"","descriptor":{"ssid":"a"}"#, "name"), (#""descriptor":{"ssid":"a"}"#, "name"),
      ("", "name"),
      (#""name":"x""#, "descriptor"), (#""name":"x","descriptor":null"#, "descriptor"),
      (#""name":"x","descriptor":{"ssid":"a"},"productImage":"""#, "productImage"),
      (#""name":"x","descriptor":{"ssid":"a"},"setupOptions":8"#, "setupOptions"),
      (#""name":"x","descriptor":{"ssid":"a"},"setupOptions":-1"#, "setupOptions"),
      (#""name":"x","descriptor":{"ssid":"a"},"setupOptions":4294967296"#, "setupOptions"),
      (#""name":"x","descriptor":{"ssid":"a"},"renameOptions":2"#, "renameOptions"),
    ])
  func bounds(members: String, field: String) throws {
    let failure = try Self.failure("[{\(members)}]")
    #expect(failure.field == "items[0].\(field)")
    #expect(!failure.reason.isEmpty && !failure.cure.isEmpty)
  }

  @Test("A name may have 248 bytes, counted in UTF-8")
  func nameBytes() throws {
    let most = String(repeating: "ü", count: 124)
    let tail = #"","descriptor":{"ssid":"a"}}]"#
    #expect(try Self.items("[{\"name\":\"\(most)\(tail)")[0].item.name == most)
    #expect(try Self.failure("[{\"name\":\"\(most)x\(tail)").field == "items[0].name")
  }

  // MARK: - Sizes and forms

  @Test("There are 1 to 32 items")
  func counts() throws {
    func list(_ count: Int) -> String {
      let one = #"{"name":"Bulb","descriptor":{"bluetoothCompanyIdentifier":0}}"#
      return "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
    }
    let items = try Self.items(list(32))
    #expect(items.count == 32)
    #expect(Set(items.map(\.item.id)).count == 32)
    #expect(try Self.failure(list(33)).field == "items")
    #expect(try Self.failure("[]").field == "items")
  }

  @Test("Items whose texts would not fit one message to operators are refused; all others fit")
  func scene() throws {
    func list(_ count: Int) -> String {
      // DEL is one byte that takes six when it is escaped.
      let name = String(repeating: "\u{7F}", count: 248)
      let one = "{\"name\":\"\(name)\",\"descriptor\":{\"ssid\":\"a\"}}"
      return "[" + Array(repeating: one, count: count).joined(separator: ",") + "]"
    }
    #expect(try Self.failure(list(32)).field == "items[10]")
    let items = try Self.items(list(10))
    let message = Message.reply { json in
      json.objects("items", items) { json, item in
        RequestItemLine(item: nil, name: item.item.name).writeMembers(to: &json)
      }
    }
    #expect(message.count < ConnectionLimits().replyBytesMax - (12 << 10))
  }

  @Test(
    "A value of another type, or an unknown field, is not a call of the interface",
    arguments: [
      #"[{"item":5}]"#, #"[{"name":"x","descriptor":[]}]"#, #"["bulb"]"#, #"{"item":"bulb"}"#, "[null]",
      #"[{"name":"x","descriptor":{"bluetoothCompanyIdentifier":"0x0EEE"}}]"#,
      #"[{"name":"x","descriptor":{"bluetoothCompanyIdentifier":1.5}}]"#,
      #"[{"name":"x","descriptor":{"bluetoothCompanyIdentifier":9007199254740992}}]"#,
      #"[{"name":"x\u0000","descriptor":{}}]"#, #"[{"name":"x","descriptor":{"bluetooth":1}}]"#,
      #"[{"name":"\ud800","descriptor":{}}]"#, #"[{"name":"\udc00x","descriptor":{}}]"#,
      String(repeating: "[", count: 20) + String(repeating: "]", count: 20),
    ])
  func noCalls(items: String) {
    #expect(throws: Described.NotACall.self) { try Self.items(items) }
  }

  // MARK: - Complaints about AccessorySetupKit

  @Test(
    "Complaint 9: a mismatch with the manifest, which crashes an app there, returns field, reason and cure")
  func manifestMismatch() throws {
    let failure = try Self.failure(
      #"[{"item":"bulb"},{"name":"Bulb","descriptor":{"bluetoothServiceUUID":"FEAA"}}]"#)
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "items[1].descriptor.bluetoothServiceUUID")
    #expect(failure.reason == "the app does not declare the service feaa")
    #expect(failure.cure == "add it to the app's bluetooth-services in the manifest")
  }

  @Test("Complaint 10: a descriptor with only a name is refused, and the error says what is missing")
  func nameAlone() throws {
    let failure = try Self.failure(Self.supplied(#"{"bluetoothNameSubstring":"Lumo"}"#))
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "items[0].descriptor.bluetoothNameSubstring")
    #expect(failure.reason == "a name alone matches unknown devices too")
    #expect(failure.cure == "add bluetoothCompanyIdentifier or bluetoothServiceUUID")
    // The substring works once there is a key.
    let items = try Self.items(
      Self.supplied(#"{"bluetoothNameSubstring":"Lumo","bluetoothCompanyIdentifier":3822}"#))
    #expect(items[0].item.descriptor.nameSubstring == Array("Lumo".utf8))
  }
}
