// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest
import Setup
import Varlink

// What becomes of a call.

extension AgentCore {
  /// Suggestions and captures that may go on at once; each keeps tables of its own.
  static let suggestionsMax = 2
  static let capturesMax = 4

  func perform(_ call: Call, _ place: Int) {
    // Who may not call it is not told what is wrong with the call.
    guard
      !AgentMethod.operatorInterfaces.contains(call.interface)
        || clients.places[place]?.rights.isOperator == true
    else {
      tally.permissionsDenied &+= 1
      return refuse(place, Message.error(ServiceError.permissionDenied))
    }
    switch service.dispatch(call) {
    case .reply(let message): finish(place, message)
    case .refuse(let error): refuse(place, Message.error(error))
    case .perform(let method, let parameters): perform(method, parameters, place)
    }
  }

  func perform(_ method: AgentMethod, _ parameters: Parameters, _ place: Int) {
    switch method {
    case .gateway(let method): perform(method, parameters, place)
    case .session, .picker:
      guard setupCore.isOpening else { return performAfterOpening(method, parameters, place) }
      let end = now.advanced(milliseconds: AwaitedAnswer.diskMilliseconds)
      begin(place, .deferred(DeferredCall(method: method, parameters: parameters, end: end)))
    }
  }

  private func performAfterOpening(_ method: AgentMethod, _ parameters: Parameters, _ place: Int) {
    switch method {
    case .gateway: preconditionFailure("the gateway interface needs no setup core")
    case .session(let method): perform(method, parameters, place)
    case .picker(let method): perform(method, parameters, place)
    }
  }

  private func perform(_ method: GatewayMethod, _ parameters: Parameters, _ place: Int) {
    do throws(CallRefusal) {
      switch method {
      case .status: finish(place, status())
      case .metrics: finish(place, metrics())
      case .sightings: begin(place, .sightings(SightingsList(all: try parameters.all)))
      case .watch: begin(place, .watch(try watch(parameters)))
      case .explain: begin(place, .explanations(try explain(parameters)))
      case .try: begin(place, .trials(try trials(parameters)))
      case .suggest: begin(place, .suggestion(try listening(parameters)))
      case .capture: begin(place, .capture(try capture()))
      case .reload: requestReload(place)
      }
    } catch {
      refuse(place, error.message)
    }
  }

  func finish(_ place: Int, _ message: [UInt8]) {
    clients.places[place]?.connection.reply(message)
  }

  func refuse(_ place: Int, _ message: [UInt8]) {
    tally.callsRefused &+= 1
    finish(place, message)
  }

  func begin(_ place: Int, _ activity: Activity) {
    clients.places[place]?.activity = activity
  }

  private func requestReload(_ place: Int) {
    guard let id = clients.places[place]?.id else { return }
    begin(place, .reload)
    if reloading.request(for: id) { perform(.readManifest) }
  }

  // MARK: - What calls ask for

  private func explain(_ parameters: Parameters) throws(CallRefusal) -> ExplanationList {
    let device = try parameters.device()
    let rows = dataPath.rows(of: device.bits)
    guard !rows.isEmpty else { throw .gateway(.deviceNotInSight(device.text)) }
    return ExplanationList(rows, bits: device.bits)
  }

  private func trials(_ parameters: Parameters) throws(CallRefusal) -> TrialList {
    let wanted = try parameters.required("item")
    do throws(ItemNameError) {
      let item = try dataPath.items.index(named: wanted)
      return TrialList(item: item, of: dataPath.items[item])
    } catch {
      switch error {
      case .unknown(let known): throw .gateway(.itemNotFound(wanted, candidates: known))
      case .ambiguous(let candidates): throw .gateway(.itemAmbiguous(wanted, candidates: candidates))
      }
    }
  }

  private func listening(_ parameters: Parameters) throws(CallRefusal) -> Listening {
    let device = try parameters.device()
    let seconds = try parameters.seconds()
    let going = activityCount { if case .suggestion = $0 { true } else { false } }
    guard going < Self.suggestionsMax else { throw busy(limit: Self.suggestionsMax) }
    if listener == nil { listener = DeviceListener() }
    return Listening(
      device.text, addresses: dataPath.addresses(of: device.bits),
      until: now.advanced(milliseconds: seconds * 1000))
  }

  private func capture() throws(CallRefusal) -> CaptureStream {
    let going = activityCount { if case .capture = $0 { true } else { false } }
    guard going < Self.capturesMax else { throw busy(limit: Self.capturesMax) }
    if tap == nil { tap = TapRing() }
    return CaptureStream(from: tap?.produced ?? 0)
  }

  private func busy(limit: Int) -> CallRefusal {
    tally.busy &+= 1
    return .gateway(.busy(limit: limit))
  }
}

/// Why a call is refused.
enum CallRefusal: Error, Equatable {
  case gateway(GatewayError)
  case parameter(String)

  var message: [UInt8] {
    switch self {
    case .gateway(let error): error.message
    case .parameter(let name): Message.error(.invalidParameter(name))
    }
  }
}

extension Parameters {
  /// The values' types were checked against the interface; what is left is what they say.
  fileprivate func required(_ name: String) throws(CallRefusal) -> String {
    guard let text = try? text(name) else { throw .parameter(name) }
    return text
  }

  fileprivate var all: Bool { get throws(CallRefusal) { (try? truth("all")) ?? false } }

  /// An address as people write it.
  fileprivate func device() throws(CallRefusal) -> (bits: UInt64, text: String) {
    let text = try required("device")
    guard let bits = AddressText.bits(text) else { throw .parameter("device") }
    return (bits, text.uppercased())
  }

  fileprivate func seconds() throws(CallRefusal) -> Int64 {
    guard let seconds = try? integerIfAny("seconds") ?? 5, (1...60).contains(seconds) else {
      throw .parameter("seconds")
    }
    return seconds
  }
}
