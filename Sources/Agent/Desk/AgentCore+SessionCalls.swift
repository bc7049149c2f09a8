// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
import HCI
import JSON
import Manifest
import Registry
import Setup
import Varlink

// What apps call: `io.accessoryd.Session`.

extension AgentCore {
  func perform(_ method: SessionMethod, _ parameters: Parameters, _ place: Int) {
    do throws(SetupFailure) {
      try take(method, parameters, place)
    } catch {
      refuse(place, error.message)
    }
  }

  private func take(
    _ method: SessionMethod, _ parameters: Parameters, _ place: Int
  ) throws(SetupFailure) {
    guard method != .activate else { return try activate(parameters, place) }
    let user = clients.places[place]?.peer.user ?? .max
    let session = try setupCore.session(parameters.word("session"), of: user)
    switch method {
    case .activate: break
    case .invalidate:
      setupCore.invalidate(session)
      finish(place, Message.reply())
    case .list: begin(place, .appAccessories(AppAccessoryList(session)))
    case .showPicker:
      let picker = try showPicker(session, parameters)
      finish(place, Message.reply { $0.member("picker", picker.text) })
    case .updatePicker:
      try setupCore.updatePicker(session, showing: try DiscoveredItems.read(parameters))
      finish(place, Message.reply())
    case .finishPickerDiscovery:
      try setupCore.finishPickerDiscovery(session)
      finish(place, Message.reply())
    case .cancelPicker:
      try setupCore.cancelPicker(session)
      finish(place, Message.reply())
    case .watchAdvertisements:
      begin(place, .advertisements(try advertisements(session, parameters)))
    case .resolve: try resolve(session, parameters, place)
    case .renameAccessory, .removeAccessory, .finishAuthorization, .failAuthorization, .updateAuthorization:
      try change(method, session, parameters, place)
    }
  }

  /// What is answered when a person, or the disk, has had their say.
  private func change(
    _ method: SessionMethod, _ session: Session, _ parameters: Parameters, _ place: Int
  ) throws(SetupFailure) {
    let call = nextCallID()
    let accessory = parameters.word("accessory")
    var patience = AwaitedAnswer.diskMilliseconds
    // The answer may come before the call is through.
    let before = clients.places[place]?.activity ?? .none
    begin(place, .awaiting(AwaitedAnswer(call: call, end: now, overdue: .app)))
    do throws(SetupFailure) {
      switch method {
      case .renameAccessory:
        patience = AwaitedAnswer.answerMilliseconds
        try setupCore.renameAccessory(
          session, accessory, options: try FieldReader(parameters.object, at: "").renameOptions(), call)
      case .updateAuthorization:
        patience = AwaitedAnswer.answerMilliseconds
        let known = try setupCore.accessory(accessory, of: session)
        let adds = try ExtensionFields.read(parameters, of: known, app: try app(of: session))
        try setupCore.updateAuthorization(session, accessory, adding: adds, call)
      case .finishAuthorization:
        let fields = FieldReader(parameters.object, at: "")
        try setupCore.finishAuthorization(
          session, accessory, ssid: parameters.texts("ssid"),
          bridgingIdentifier: try fields.sixBytes("bluetoothTransportBridgingIdentifier"), call)
      case .failAuthorization: try setupCore.failAuthorization(session, accessory, call)
      case .removeAccessory: try setupCore.removeAccessory(session, accessory, call)
      case .activate, .invalidate, .list, .showPicker, .updatePicker, .finishPickerDiscovery, .cancelPicker,
        .watchAdvertisements, .resolve:
        preconditionFailure("the method is answered at once")
      }
    } catch {
      begin(place, before)
      throw error
    }
    let end = now.advanced(milliseconds: patience)
    begin(place, .awaiting(AwaitedAnswer(call: call, end: end, overdue: .app)))
  }

  // MARK: - Sessions

  private func activate(_ parameters: Parameters, _ place: Int) throws(SetupFailure) {
    guard let client = clients.places[place] else { return }
    try setupCore.requireSoundRegistry()
    var activation = SetupCore.Activation()
    activation.app = parameters.wordIfAny("app")
    activation.session = parameters.wordIfAny("session")
    activation.sequence = parameters.numberIfAny("sequence")
    activation.hasForeignCursor =
      parameters.wordIfAny("epoch").map { $0.lowercased() != epoch.text } ?? (activation.sequence != nil)
    let activated = try setupCore.activate(activation, user: client.peer.user, apps: client.rights.apps)
    begin(place, .session(SessionStream(activated)))
  }

  private func app(of session: Session) throws(SetupFailure) -> App {
    guard let app = setupCore.app(session.app) else { throw .noSession }
    return app
  }

  private func showPicker(
    _ session: Session, _ parameters: Parameters
  ) throws(SetupFailure) -> RandomIdentifier {
    let app = try app(of: session)
    let settings = try SettingsFields.read(parameters["settings"])
    var items: [PickerItem]?
    if let element = parameters["items"] {
      items = try ItemFields.read(
        element, of: app, firstNumber: setupCore.bring(ItemFields.countRange.upperBound))
    }
    // What is at the gateway now was there before.
    lookedAt = nil
    return try setupCore.showPicker(session, items: items, settings: settings)
  }

  private func resolve(
    _ session: Session, _ parameters: Parameters, _ place: Int
  ) throws(SetupFailure) {
    let device = try setupCore.resolve(session, parameters.word("accessory"))
    guard let address = device.identity.address else { throw .noSession }
    // One that changes its address is where it was heard last.
    let current = row(of: device).map { dataPath.pipeline.device(at: $0)?.address ?? address } ?? address
    finish(
      place,
      Message.reply { json in
        json.member("address", AddressText.text(of: current.bits))
        json.member("addressType", current.settled.type == .public ? "public" : "random")
      })
  }
}

extension Parameters {
  /// A parameter whose type was checked against the interface.
  func word(_ name: String) -> String { wordIfAny(name) ?? "" }

  func wordIfAny(_ name: String) -> String? { (try? textIfAny(name)) ?? nil }

  /// Nil for what cannot be a count.
  func numberIfAny(_ name: String) -> UInt64? {
    guard let number = (try? integerIfAny(name)) ?? nil else { return nil }
    return UInt64(exactly: number) ?? .max
  }

  /// The octets of a text.
  fileprivate func texts(_ name: String) -> [UInt8]? { wordIfAny(name).map { Array($0.utf8) } }
}

extension FieldReader {
  /// Six octets as a number, the first one the most significant.
  fileprivate func sixBytes(_ name: String) throws(SetupFailure) -> UInt64? {
    try hexadecimal(name, in: 6...6)?.reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// `items` of UpdatePicker.
enum DiscoveredItems {
  private static let countMax = 256
  private static let nameBytes = 1...248
  private static let imageBytes = 1...255

  static func read(
    _ parameters: Parameters
  ) throws(SetupFailure) -> [(number: UInt32, name: String?, image: String?)] {
    guard case .array(let elements)? = parameters["items"] else { return [] }
    guard elements.count <= countMax else {
      throw SetupFailure(
        .invalidRequest, field: "items", "there are \(elements.count) items", cure: "show at most \(countMax)"
      )
    }
    var items: [(number: UInt32, name: String?, image: String?)] = []
    for (index, element) in elements.enumerated() {
      guard case .object(let object) = element else { continue }
      let fields = FieldReader(object, at: "items[\(index)]")
      let number: UInt32 = try fields.number("discovered", in: 0...UInt32.max) ?? 0
      _ = try fields.bytes(ofText: "name", in: nameBytes)
      _ = try fields.bytes(ofText: "productImage", in: imageBytes)
      items.append((number, fields.text("name"), fields.text("productImage")))
    }
    return items
  }
}
