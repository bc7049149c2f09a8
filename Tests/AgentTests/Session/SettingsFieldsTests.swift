// SPDX-License-Identifier: GPL-3.0-or-later

@testable import Agent
import Interfaces
import Registry
import Setup
import Testing
import Varlink

@Suite("Settings of a picker in the calls of apps")
struct SettingsFieldsTests {
  private static func parameters(_ settings: String) throws -> Parameters {
    try Described.parameters(.showPicker, "{\"session\":\"\",\"settings\":\(settings)}")
  }

  private static func settings(_ text: String) throws -> PickerSettings {
    try SettingsFields.read(try parameters(text)["settings"])
  }

  @Test("Without settings a picker waits 30 s and shows everything")
  func standard() throws {
    for text in ["null", "{}", #"{"discoveryTimeout":null,"options":null}"#, #"{"options":0}"#] {
      #expect(try Self.settings(text) == PickerSettings())
    }
    #expect(PickerSettings().discoveryTimeout == .seconds(30))
  }

  @Test(
    "Timeouts are words or seconds",
    arguments: [
      ("short", .seconds(60)), ("medium", .seconds(120)), ("long", .seconds(300)), ("unbounded", .unbounded),
      ("1", .seconds(1)), ("3600", .seconds(3600)), ("30", .seconds(30)),
    ] as [(String, PickerSettings.DiscoveryTimeout)])
  func timeouts(text: String, timeout: PickerSettings.DiscoveryTimeout) throws {
    #expect(try Self.settings("{\"discoveryTimeout\":\"\(text)\"}").discoveryTimeout == timeout)
  }

  @Test(
    "Any other time is refused",
    arguments: [
      "", "0", "3601", "-1", "+5", "05", " 5", "5 ", "5.0", "5s", "Short", "99999999999999999999", "٣",
      "0x10",
    ])
  func refused(text: String) throws {
    let failure = try #require(throws: SetupError.self) {
      try Self.settings("{\"discoveryTimeout\":\"\(text)\"}")
    }
    #expect(failure.code == .invalidRequest)
    #expect(failure.field == "settings.discoveryTimeout")
  }

  @Test("The filter is the only option")
  func options() throws {
    #expect(try Self.settings(#"{"options":1}"#).options == .filterDiscoveryResults)
    for bits in ["2", "3", "-1", "9007199254740991"] {
      let failure = try #require(throws: SetupError.self) { try Self.settings("{\"options\":\(bits)}") }
      #expect(failure.field == "settings.options")
    }
  }

  @Test("An identifier is 32 digits of any case; anything else is invalid")
  func identifiers() throws {
    func identifier(_ text: String) -> RandomIdentifier? { RandomIdentifier(text: text) }
    let known = RandomIdentifier(high: 0xABCD_EF00_0000_0000, low: 1)
    #expect(identifier("abcdef00000000000000000000000001") == known)
    #expect(identifier("ABCdef00000000000000000000000001") == known)
    for text in [
      "", "1", "abcdef0000000000000000000000000", "abcdef000000000000000000000000012",
      "gbcdef00000000000000000000000001", "abcdef00-0000-0000-0000-000000000001",
      "+bcdef00000000000000000000000001", "0xcdef00000000000000000000000001",
    ] {
      #expect(identifier(text) == nil)
    }
  }
}
