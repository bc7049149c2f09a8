// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Registry
import Setup
import Testing

@Suite("AccessorySetupKit's values")
struct SetupValueTests {
  @Test("The event types are those of AccessorySetupKit")
  func eventTypes() {
    let values = AccessoryEventType.allCases.map(\.rawValue)
    #expect(values == [0, 10, 11, 20, 30, 31, 32, 33, 40, 50, 60, 70, 80, 90])
    #expect(AccessoryEventType.accessoryAdded.name == "accessoryAdded")
    #expect(AccessoryEventType(rawValue: 90)?.name == "pickerSetupRename")
  }

  @Test("The error codes are those of AccessorySetupKit")
  func errorCodes() {
    let values = SetupErrorCode.allCases.map(\.rawValue)
    #expect(values == [0, 1, 100, 150, 200, 300, 400, 450, 500, 550, 700, 750])
    #expect(SetupErrorCode.pickerAlreadyActive.name == "pickerAlreadyActive")
  }

  @Test("States, options and ranges are those of AccessorySetupKit")
  func options() {
    #expect(AccessoryState.allCases.map(\.rawValue) == [0, 10, 20])
    #expect(PickerSettings.Options.filterDiscoveryResults.rawValue == 1)
    #expect(SetupOptions([.rename, .confirmAuthorization, .finishInApp]).rawValue == 7)
    #expect(SupportOptions([.bluetoothPairingLE, .bluetoothTransportBridging, .bluetoothHID]).rawValue == 14)
    #expect(RenameOptions.ssid.rawValue == 1)
    #expect(DiscoveryDescriptor.Range.immediate.rawValue == 10)
  }

  @Test("The feeds, which keep 256 events of every app, set at most 40 bytes aside for each")
  func eventSize() { #expect(MemoryLayout<AppEvent>.stride <= 40) }

  @Test("Short, medium and long are one, two and five minutes; the default is 30 s")
  func timeouts() {
    #expect(PickerSettings().discoveryTimeout == .seconds(30))
    #expect(PickerSettings.DiscoveryTimeout.short == .seconds(60))
    #expect(PickerSettings.DiscoveryTimeout.medium == .seconds(120))
    #expect(PickerSettings.DiscoveryTimeout.long == .seconds(300))
  }
}
