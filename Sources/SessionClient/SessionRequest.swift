// SPDX-License-Identifier: Apache-2.0

public import Interfaces
import JSON
import Varlink
import VarlinkClient

/// A call of the app.
public enum SessionRequest: Equatable, Sendable {
  /// Without items it is for those of the manifest.
  case showPicker(items: [RequestedItem]?, settings: RequestedSettings?)
  case updatePicker([ShownDevice])
  case finishPickerDiscovery
  case cancelPicker
  case renameAccessory(String, options: UInt)
  case removeAccessory(String)
  case finishAuthorization(String, ssid: String?, bridgingIdentifier: [UInt8]?)
  case failAuthorization(String)
  case updateAuthorization(String, DescriptorLine)
  case resolve(String)
  case connect(accessory: String)
  case readRSSI(String)
  /// Streams until it is cancelled, or the session ends. With an interval, it also streams every reading.
  case advertisements(interval: Seconds?)

  public static let watchAdvertisements = SessionRequest.advertisements(interval: nil)
}

extension SessionRequest {
  /// The event that a call causes, and its accessory.
  struct CausedEvent: Equatable {
    let type: AccessoryEventType
    let accessory: String
  }

  /// The method's name within the interface.
  var method: String {
    switch self {
    case .showPicker: "ShowPicker"
    case .updatePicker: "UpdatePicker"
    case .finishPickerDiscovery: "FinishPickerDiscovery"
    case .cancelPicker: "CancelPicker"
    case .renameAccessory: "RenameAccessory"
    case .removeAccessory: "RemoveAccessory"
    case .finishAuthorization: "FinishAuthorization"
    case .failAuthorization: "FailAuthorization"
    case .updateAuthorization: "UpdateAuthorization"
    case .resolve: "Resolve"
    case .connect: "Connect"
    case .readRSSI: "ReadRSSI"
    case .advertisements: "WatchAdvertisements"
    }
  }

  /// How long the agent may take. Any call may wait 30 s for the registry; 10 s are added for an agent that hangs.
  var limit: Duration? {
    switch self {
    case .renameAccessory, .updateAuthorization: .seconds(100)
    case .connect, .advertisements: nil
    case .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker, .removeAccessory,
      .finishAuthorization, .failAuthorization, .resolve, .readRSSI:
      .seconds(40)
    }
  }

  /// Whether the call may take long, so that others must not wait for it.
  var needsOwnLink: Bool {
    switch self {
    case .renameAccessory, .updateAuthorization, .connect, .advertisements: true
    case .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker, .removeAccessory,
      .finishAuthorization, .failAuthorization, .resolve, .readRSSI:
      false
    }
  }

  var isStream: Bool { if case .advertisements = self { true } else { false } }

  var causedEvent: CausedEvent? {
    switch self {
    case .renameAccessory(let accessory, _), .updateAuthorization(let accessory, _),
      .finishAuthorization(let accessory, _, _):
      CausedEvent(type: .accessoryChanged, accessory: accessory)
    case .removeAccessory(let accessory), .failAuthorization(let accessory):
      CausedEvent(type: .accessoryRemoved, accessory: accessory)
    case .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker, .resolve, .connect,
      .readRSSI, .advertisements:
      nil
    }
  }

  /// The message of the call. `isReduced` leaves out what an older agent does not accept.
  func message(session: String, cursor: StreamCursor?, isReduced: Bool) -> [UInt8] {
    Message.call("\(SessionInterface.name).\(method)", more: isStream) { json in
      json.member("session", session)
      writeParameters(to: &json, cursor: cursor, isReduced: isReduced)
    }
  }

  private func writeParameters(to json: inout JSONWriter, cursor: StreamCursor?, isReduced: Bool) {
    switch self {
    case .showPicker(let items, let settings):
      if let items { json.objects("items", items) }
      if let settings { json.object("settings", settings) }
    case .updatePicker(let devices):
      json.objects("items", devices) { json, device in device.write(to: &json, isReduced: isReduced) }
    case .finishPickerDiscovery, .cancelPicker: break
    case .renameAccessory(let accessory, let options):
      json.member("accessory", accessory)
      if options != 0 { json.member("renameOptions", UInt64(options)) }
    case .removeAccessory(let accessory), .failAuthorization(let accessory), .resolve(let accessory),
      .connect(let accessory), .readRSSI(let accessory):
      json.member("accessory", accessory)
    case .finishAuthorization(let accessory, let ssid, let bridgingIdentifier):
      json.member("accessory", accessory)
      if let ssid { json.member("ssid", ssid) }
      if let bridgingIdentifier {
        json.member("bluetoothTransportBridgingIdentifier", Hex(bridgingIdentifier))
      }
    case .updateAuthorization(let accessory, let descriptor):
      json.member("accessory", accessory)
      json.object("descriptor", descriptor)
    case .advertisements(let interval):
      if let interval { json.member("interval", interval) }
      if let cursor {
        json.member("epoch", cursor.epoch)
        json.member("sequence", cursor.sequence)
      }
    }
  }
}

/// A position in a numbered stream.
struct StreamCursor: Equatable, Sendable {
  var epoch: String
  /// The number of the next event.
  var sequence: UInt64
}
