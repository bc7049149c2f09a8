// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AccessorySetupKit
import Interfaces
import SessionClient
import Testing

/// Errors that the agent words for its socket, as an app reads them.
@Suite struct AppWordsTests {
  @Test(arguments: SessionMethodName.allCases)
  func `each method has the name of the app's call`(_ method: SessionMethodName) {
    let name = method.rawValue.split(separator: ".").last.map(String.init) ?? ""
    let sentence = AppWords.sentence("call \(name), and wait", about: nil)
    #expect(sentence.hasPrefix("call ") && sentence.hasSuffix(", and wait") && !sentence.contains(name))
  }

  @Test(arguments: [
    ("call ShowPicker first", "call showPicker(for:) first"),
    ("wait for pickerFinished, or call CancelPicker", "wait for pickerDidDismiss, or call cancelPicker()"),
    (
      "open it with the option filterDiscoveryResults 1", "open it with the option filterDiscoveryResults"
    ),
    ("use default 0 or immediate 10", "use default or immediate"),
    (
      "use rename 1, confirmAuthorization 2 and finishInApp 4",
      "use rename, confirmAuthorization and finishInApp"
    ),
    ("leave ssid out, or use 1 to 32 bytes", "leave ssid out, or use 1 to 32 bytes"),
    (
      "it is called \"My List 1\" there, by Connect",
      "it is called \"My List 1\" there, by CBCentralManager.connect(_:options:)"
    ),
    ("the accessory \"List\" has no ShowPickers", "the accessory \"List\" has no ShowPickers"),
    ("", ""),
  ])
  func `a sentence has the app's names, and what is quoted stays`(_ sentence: String, _ expected: String) {
    #expect(AppWords.sentence(sentence, about: "session") == expected)
  }

  @Test(arguments: [
    (
      "items[0].descriptor.ssidPrefix", "it is empty", "give at least one byte",
      "displayItems[0].descriptor.ssidPrefix is empty; give at least one byte"
    ),
    (
      "items[1].descriptor", "nothing says what to look for", "add ssid",
      "in displayItems[1].descriptor, nothing says what to look for; add ssid"
    ),
    (
      "items[0].descriptor.bluetoothServiceUUID", "this is no UUID", "use 4, 8 or 32 hexadecimal digits",
      "displayItems[0].descriptor.bluetoothServiceUUID is no UUID; use 4, 8 or 32 hexadecimal digits"
    ),
    (
      "session", "it has no open picker", "call ShowPicker first",
      "the session has no open picker; call showPicker(for:) first"
    ),
    ("accessory", "it is not authorized", "finish it", "the accessory is not authorized; finish it"),
    (
      "accessory.reach", "the accessory was not connected within 30 s", "bring it into reach",
      "the accessory was not connected within 30 s; bring it into reach"
    ),
    (
      nil, "an operator denied the request", "ask the operator",
      "an operator denied the request; ask the operator"
    ),
  ])
  func `a description is a sentence about the parameter, with its cure`(
    _ field: String?, _ reason: String, _ cure: String, _ expected: String
  ) {
    let error: any Error = ASError(SessionError(.invalidRequest, field: field, reason, cure: cure))
    #expect(error.localizedDescription == expected)
  }

  @Test func `an item of a migration has its own properties`() {
    let error = ASError(
      SessionError(
        .invalidRequest, field: "items[0].migrate.ssid", "this gateway does not migrate networks yet",
        cure: "leave ssid out; name the device with bluetoothIdentifier"))
    #expect(
      error.userInfo[NSLocalizedRecoverySuggestionErrorKey] as? String
        == "leave hotspotSSID out; name the device with peripheralIdentifier")
    #expect(error.userInfo[ASError.fieldKey] as? String == "displayItems[0].hotspotSSID")
  }

  @Test(arguments: [
    ("items", "displayItems"), ("items[3].discovered", "displayItems[3].accessory"),
    ("itemsOfOthers", "itemsOfOthers"), ("settings.options", "pickerDisplaySettings.options"),
    ("accessory", "accessory"), ("items[2].migrate", "displayItems[2]"), ("", ""),
  ])
  func `a field has the name of the app's parameter`(_ field: String, _ expected: String) {
    #expect(AppWords.field(field) == expected)
  }
}
