// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import HCI
import Interfaces
import Manifest
import Registry
import Setup
import Testing

@Suite("Parameters of UpdateAuthorization")
struct ExtensionFieldsTests {
  private static func read(
    _ members: String, of accessory: RegistryAccessory = Sample.accessory, app: App = Sample.app
  ) throws -> RegistryExtension {
    let parameters = try Described.parameters(
      .updateAuthorization, "{\"session\":\"\",\"accessory\":\"\"\(members)}")
    return try ExtensionFields.read(parameters, of: accessory, app: app)
  }

  private static func field(
    _ members: String, of accessory: RegistryAccessory = Sample.accessory, app: App = Sample.app
  ) throws -> String? {
    let failure = try #require(throws: SetupError.self) { try read(members, of: accessory, app: app) }
    #expect(failure.code == .invalidRequest)
    #expect(!failure.reason.isEmpty && !failure.cure.isEmpty)
    return failure.field
  }

  private static func accessory(_ change: (inout RegistryAccessory) -> Void) -> RegistryAccessory {
    var accessory = Sample.accessory
    change(&accessory)
    return accessory
  }

  @Test("A network or a prefix is added")
  func networks() throws {
    #expect(
      try Self.read(#","descriptor":{"ssid":"Lumo-1"}"#) == RegistryExtension(ssid: Array("Lumo-1".utf8)))
    #expect(
      try Self.read(#","descriptor":{"ssidPrefix":"Lumo-"}"#)
        == RegistryExtension(ssidPrefix: Array("Lumo-".utf8)))
  }

  @Test("A Wi-Fi Aware service is added whole, once, and by an app that declares Wi-Fi")
  func wifiAware() throws {
    let text = #","descriptor":{"wifiAwareServiceName":"_x._tcp","wifiAwareServiceRole":20}"#
    var service = WiFiAwareService(serviceName: Array("_x._tcp".utf8))
    service.role = .publisher
    #expect(try Self.read(text) == RegistryExtension(wifiAware: service))
    let known = Self.accessory { $0.descriptor.wifiAware = service }
    #expect(try Self.field(text, of: known) == "descriptor")
    #expect(
      try Self.field(#","descriptor":{"wifiAwareServiceName":"_y._tcp"}"#, of: known)
        == "descriptor.wifiAwareServiceName")
    var app = Sample.app
    app.supports = [.bluetooth]
    #expect(try Self.field(text, app: app) == "descriptor.wifiAwareServiceName")
  }

  @Test("Unchanged fields may be repeated")
  func same() throws {
    let text = """
      ,"descriptor":{"ssid":"Lumo-1","bluetoothCompanyIdentifier":3822,\
      "bluetoothManufacturerDataBlob":"A55A",\
      "bluetoothManufacturerDataMask":"FF0F","bluetoothServiceUUID":"0000fe0f","bluetoothRange":10,\
      "supportedOptions":0,"bluetoothNameSubstring":null}
      """
    #expect(try Self.read(text) == RegistryExtension(ssid: Array("Lumo-1".utf8)))
  }

  @Test("The keys of an accessory stay, even if the app no longer declares them")
  func undeclared() throws {
    var app = Sample.app
    app.companyIdentifiers = []
    let text = #","descriptor":{"ssid":"Lumo-1","bluetoothCompanyIdentifier":3822}"#
    #expect(try Self.read(text, app: app).ssid != nil)
  }

  @Test(
    "Keys never change, and the error names the one that would",
    arguments: [
      (#""bluetoothCompanyIdentifier":0"#, "bluetoothCompanyIdentifier"),
      (#""bluetoothManufacturerDataBlob":"a55b""#, "bluetoothManufacturerDataBlob"),
      (
        #""bluetoothManufacturerDataBlob":"a55a","bluetoothManufacturerDataMask":"ffff""#,
        "bluetoothManufacturerDataMask"
      ),
      (#""bluetoothServiceUUID":"fe10""#, "bluetoothServiceUUID"),
      (#""bluetoothServiceDataBlob":"00""#, "bluetoothServiceDataBlob"),
      (#""bluetoothNameSubstring":"Lumo""#, "bluetoothNameSubstring"),
      (#""bluetoothNameSubstringCompareOptions":1"#, "bluetoothNameSubstringCompareOptions"),
      (#""bluetoothRange":0"#, "bluetoothRange"), (#""supportedOptions":2"#, "supportedOptions"),
    ])
  func keys(member: String, field: String) throws {
    #expect(try Self.field(",\"descriptor\":{\(member),\"ssid\":\"a\"}") == "descriptor.\(field)")
  }

  @Test("An existing network never changes either, and name and prefix exclude each other")
  func networkThatIsThere() throws {
    let named = Self.accessory { $0.descriptor.ssid = Array("Lumo-1".utf8) }
    #expect(try Self.field(#","descriptor":{"ssid":"Lumo-2"}"#, of: named) == "descriptor.ssid")
    #expect(try Self.field(#","descriptor":{"ssidPrefix":"Lumo-"}"#, of: named) == "descriptor.ssidPrefix")
    let begun = Self.accessory { $0.descriptor.ssidPrefix = Array("Lumo-".utf8) }
    #expect(try Self.field(#","descriptor":{"ssid":"Lumo-1"}"#, of: begun) == "descriptor.ssid")
    #expect(try Self.field(#","descriptor":{"ssid":"a","ssidPrefix":"b"}"#) == "descriptor.ssidPrefix")
    #expect(try Self.field(#","descriptor":{"ssid":""}"#) == "descriptor.ssid")
  }

  @Test("An app that does not declare Wi-Fi may not add a network")
  func technology() throws {
    var app = Sample.app
    app.supports = [.bluetooth]
    #expect(try Self.field(#","descriptor":{"ssid":"a"}"#, app: app) == "descriptor.ssid")
    #expect(try Self.field(#","descriptor":{"ssidPrefix":"a"}"#, app: app) == "descriptor.ssidPrefix")
  }

  @Test("A second identity must be a descriptor that the app declares")
  func alternate() throws {
    let text = #","alternate":{"bluetoothServiceUUID":"fe0f","bluetoothNameSubstring":"Lumo"}"#
    let alternate = try #require(try Self.read(text).alternate)
    #expect(alternate.serviceUUID == BluetoothUUID(short: 0xFE0F))
    #expect(alternate.nameSubstring == Array("Lumo".utf8))
    let both = try Self.read(text + #","descriptor":{"ssid":"a"}"#)
    #expect(both == RegistryExtension(ssid: [0x61], alternate: alternate))
  }

  @Test(
    "A second identity obeys the rules of the manifest",
    arguments: [
      ("{}", ""), (#"{"bluetoothNameSubstring":"Lumo"}"#, ".bluetoothNameSubstring"),
      (#"{"bluetoothManufacturerDataBlob":"00"}"#, ".bluetoothManufacturerDataBlob"),
      (#"{"bluetoothCompanyIdentifier":76}"#, ".bluetoothCompanyIdentifier"),
      (#"{"bluetoothCompanyIdentifier":0,"bluetoothRange":10}"#, ".bluetoothRange"),
      (#"{"bluetoothCompanyIdentifier":0,"ssid":"a"}"#, ".ssid"), (#"{"ssid":"a"}"#, ".ssid"),
      (#"{"bluetoothCompanyIdentifier":0,"ssidPrefix":"a"}"#, ".ssidPrefix"),
      (#"{"bluetoothCompanyIdentifier":0,"supportedOptions":2}"#, ".supportedOptions"),
      (#"{"bluetoothCompanyIdentifier":0,"wifiAwareServiceName":"a"}"#, ".wifiAwareServiceName"),
      (#"{"bluetoothCompanyIdentifier":70000}"#, ".bluetoothCompanyIdentifier"),
    ])
  func alternateRules(text: String, field: String) throws {
    #expect(try Self.field(",\"alternate\":\(text)") == "alternate\(field)")
  }

  @Test("An existing second identity never changes")
  func alternateThatIsThere() throws {
    let known = Self.accessory { accessory in
      accessory.alternate = DiscoveryDescriptor()
      accessory.alternate?.companyIdentifier = 0
    }
    #expect(try Self.field(#","alternate":{"bluetoothServiceUUID":"fe0f"}"#, of: known) == "alternate")
    let added = try Self.read(
      #","alternate":{"bluetoothCompanyIdentifier":0},"descriptor":{"ssid":"a"}"#, of: known)
    #expect(added == RegistryExtension(ssid: [0x61]))
  }

  @Test("A request for nothing new is refused before an operator is asked")
  func nothing() throws {
    #expect(try Self.field("") == "descriptor")
    #expect(try Self.field(#","descriptor":null,"alternate":null"#) == "descriptor")
    #expect(try Self.field(#","descriptor":{}"#) == "descriptor")
    #expect(try Self.field(#","descriptor":{"bluetoothCompanyIdentifier":3822}"#) == "descriptor")
    let known = Self.accessory { accessory in
      accessory.alternate = DiscoveryDescriptor()
      accessory.alternate?.companyIdentifier = 0
    }
    #expect(try Self.field(#","alternate":{"bluetoothCompanyIdentifier":0}"#, of: known) == "alternate")
  }
}
