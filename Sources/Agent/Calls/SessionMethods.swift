// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import Manifest
import Registry
import Setup
import Varlink

extension AgentCore {
  /// Starts a call of `io.accessoryd.Session`.
  func start(_ method: SessionMethodName, _ call: MethodCall) throws(SetupError) -> CallOutcome {
    let parameters = call.parameters
    switch method {
    case .activate: return try activate(call)
    case .invalidate: return done(setupCore.invalidate(try session(call)))
    case .list: return .stream(AppAccessoryStream(app: try session(call).app))
    case .showPicker: return try showPicker(call)
    case .updatePicker:
      let session = try session(call)
      let (failure, effects) = try setupCore.updatePicker(
        session, showing: try DiscoveredItems.read(parameters))
      follow(effects)
      if let failure { throw failure }
      return .done
    case .finishPickerDiscovery: return done(try setupCore.finishPickerDiscovery(try session(call)))
    case .cancelPicker: return done(try setupCore.cancelPicker(try session(call)))
    case .renameAccessory:
      let session = try askingSession(call)
      let options = try JSONObjectReader(parameters.object, at: "").renameOptions() ?? []
      let accessory = try accessory(call, of: session)
      return pending(
        call, try setupCore.renameAccessory(accessory, session, options: options, call.id),
        milliseconds: Patience.answerMilliseconds)
    case .removeAccessory:
      let accessory = try accessory(call, of: try session(call))
      return pending(call, try setupCore.removeAccessory(accessory, call.id))
    case .finishAuthorization:
      let session = try session(call)
      let bridgingIdentifier = try JSONObjectReader(parameters.object, at: "")
        .hexadecimal("bluetoothTransportBridgingIdentifier", in: 6...6).map { UInt64(bigEndian: $0) }
      let effects = try setupCore.finishAuthorization(
        try accessory(call, of: session), ssid: parameters.wordIfAny("ssid").map { Array($0.utf8) },
        bridgingIdentifier: bridgingIdentifier, call.id)
      return pending(call, effects)
    case .failAuthorization:
      let accessory = try accessory(call, of: try session(call))
      return pending(call, try setupCore.failAuthorization(accessory, call.id))
    case .updateAuthorization:
      let session = try askingSession(call)
      let accessory = try accessory(call, of: session)
      let adds = try ExtensionFields.read(parameters, of: accessory, app: try app(of: session))
      return pending(
        call, try setupCore.updateAuthorization(accessory, session, adding: adds, call.id),
        milliseconds: Patience.answerMilliseconds)
    case .watchAdvertisements: return try watchAdvertisements(parameters, try session(call))
    case .resolve:
      let session = try session(call)
      let (device, effects) = try setupCore.resolve(try accessory(call, of: session), for: session)
      follow(effects)
      let current = try currentAddress(of: device)
      return .reply(
        Message.reply { json in
          json.member("address", AddressText.text(of: current.bits))
          json.member("addressType", current.type == .public ? "public" : "random")
        })
    case .connect:
      let session = try session(call)
      return .stream(ConnectStream(link: try connect(try accessory(call, of: session), for: session)))
    case .readRSSI:
      let accessory = try accessory(call, of: try session(call))
      guard let link = links.link(of: accessory.identifier), case .connected = link.state else {
        throw .isNotConnected
      }
      return .stream(
        ReadingStream(number: updateLinks { $0.commands.ask(.information, link.address, at: now) }))
    }
  }

  private func activate(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let parameters = call.parameters
    try setupCore.requireSoundRegistry()
    var activation = SetupCore.Activation()
    activation.app = parameters.wordIfAny("app")
    activation.session = parameters.wordIfAny("session")
    activation.sequence = parameters.numberIfAny("sequence")
    activation.hasOtherEpoch =
      parameters.wordIfAny("epoch").map { $0.lowercased() != epochText } ?? (activation.sequence != nil)
    let (activated, effects) = try setupCore.activate(
      activation, by: call.client.peer.owner, apps: call.client.rights.apps)
    follow(effects)
    let stream = SessionStream(activated, radio: radioStateForApps)
    return .stream(stream, first: stream.greeting(epoch: epochText, isReset: activated.isReset))
  }

  private func showPicker(_ call: MethodCall) throws(SetupError) -> CallOutcome {
    let session = try askingSession(call)
    let app = try app(of: session)
    let settings = try SettingsFields.read(call.parameters["settings"])
    var items: [PickerItem]?
    var leftOut: [SetupError] = []
    if let element = call.parameters["items"] {
      (items, leftOut) = try ItemFields.read(
        element, of: app, firstNumber: setupCore.reserveItemNumbers(ItemFields.countRange.upperBound)
      ) { (source, field) throws(SetupError) in
        try setupCore.migratedDevice(source, ofApp: app.name, field: field)
      }
    }
    setupLink.refreshAtOnce()
    let (picker, effects) = try setupCore.showPicker(
      session, items: items, leftOut: leftOut, settings: settings)
    follow(effects)
    return .reply(
      Message.reply { json in
        json.member("picker", picker.text)
        if !leftOut.isEmpty { json.objects("leftOut", leftOut.map { FailureLine($0) }) }
      })
  }

  private func watchAdvertisements(
    _ parameters: Parameters, _ session: Session
  ) throws(SetupError) -> CallOutcome {
    let interval = try parameters.interval()
    let produced = feeds.advertisements.open(forApp: session.app, dataPath, setupCore.grants) {
      setupCore.audience(of: $0)
    }
    let sequence = parameters.numberIfAny("sequence")
    let epoch = parameters.wordIfAny("epoch")?.lowercased()
    let isUseful = epoch == epochText && sequence.map { $0 <= produced } ?? false
    let isReset = !isUseful && (sequence != nil || epoch != nil)
    return .stream(
      AdvertisementStream(
        session: session,
        readings: interval.map {
          ReadingPace(intervalMicroseconds: $0, sequence: openReadings(forApp: session.app))
        },
        phase: .greeting(isReset: isReset, listsDevices: !isUseful),
        sequence: isUseful ? sequence ?? produced : produced, gaps: feeds.advertisements.gaps))
  }

  // MARK: - What a call names

  /// The session that the call names, for the owner that opened it.
  private func session(_ call: MethodCall) throws(SetupError) -> Session {
    try setupCore.session(call.parameters.word("session"), of: call.client.peer.owner)
  }

  /// The same for a call that asks the operators. The call is counted, also when it is refused for what it says.
  private func askingSession(_ call: MethodCall) throws(SetupError) -> Session {
    let session = try session(call)
    try setupCore.paceCall(ofApp: session.app)
    return session
  }

  /// The accessory that the call names. An identifier that the session's app does not have is counted and logged.
  private func accessory(
    _ call: MethodCall, of session: Session
  ) throws(SetupError) -> RegistryAccessory {
    if let accessory = setupCore.accessory(call.parameters.word("accessory"), of: session) {
      return accessory
    }
    follow(setupCore.refuseUnknownIdentifier(of: session))
    throw .noSuchAccessory
  }

  /// The session's app in the manifest.
  private func app(of session: Session) throws(SetupError) -> App {
    guard let app = setupCore.app(session.app) else { throw .noSession }
    return app
  }
}

extension Parameters {
  /// The shortest time between two readings of an accessory, in microseconds; nil without readings.
  fileprivate func interval() throws(SetupError) -> Int64? {
    guard let seconds = (try? reader.doubleIfPresent("interval")) ?? nil else { return nil }
    guard (0...3600).contains(seconds) else {
      throw SetupError(
        .invalidRequest, field: "interval", "it is out of range", cure: "use 0 to 3600 seconds")
    }
    return Int64(seconds * 1_000_000)
  }
}
