// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ToolText

/// An accessory, as the operator names it.
struct AccessoryOptions: ParsableArguments {
  private static let shownMax = 10

  @Argument(
    help: "The accessory's identifier (at least its first 4 digits), its name, or the address of its device.",
    completion: Completions.accessories)
  var accessory: String

  @Option(help: "Only an accessory of this app.", completion: Completions.apps)
  var app: String?

  @OptionGroup var gateway: GatewayOptions

  /// The accessory that the argument names, and all accessories. With `asDevice`, any accessory of the device will do.
  func resolve(
    asDevice: Bool = false
  ) throws(ToolError) -> (accessory: AccessoryLine, all: [AccessoryLine]) {
    let all = try gateway.accessories()
    let candidates = app.map { app in all.filter { $0.app == app } } ?? all
    do throws(AccessoryNameError) {
      return (try candidates.accessory(named: accessory), all)
    } catch {
      if asDevice, case .ambiguous(let meant) = error, let first = meant.listed.first,
        meant.allSatisfy({ $0.isDevice(of: first) })
      {
        return (first, all)
      }
      throw .sentence(sentence(error, candidates), .no)
    }
  }

  private func sentence(_ error: AccessoryNameError, _ candidates: [AccessoryLine]) -> String {
    let place = app.map { "\(quoted($0)) has" } ?? "there is"
    switch error {
    case .unknown:
      let sentence = "\(place) no accessory \(quoted(accessory))"
      return candidates.isEmpty
        ? "\(sentence), nor any other; accessoryctl pick sets one up"
        : "\(sentence); name one of: \(names(candidates, among: candidates))"
    case .ambiguous(let meant):
      return
        "\(quoted(accessory)) may be any of: \(names(meant, among: candidates)); name it by its identifier"
    }
  }

  private func names(_ meant: [AccessoryLine], among all: [AccessoryLine]) -> String {
    let identifiers = Dictionary(
      zip(all.map(\.identifier), all.shortIdentifiers), uniquingKeysWith: { one, _ in one })
    let names = meant.listed.prefix(Self.shownMax).map {
      $0.description(identifier: identifiers[$0.identifier] ?? $0.identifier)
    }
    let more = meant.count > names.count ? ", and \(meant.count - names.count) more" : ""
    return names.joined(separator: ", ") + more
  }
}

extension GatewayOptions {
  /// All accessories, or those of one app.
  func accessories(ofApp app: String? = nil) throws(ToolError) -> [AccessoryLine] {
    try connect { connection throws(AgentCallError) in try connection.accessories(ofApp: app) }
  }
}

extension GatewayConnection {
  mutating func accessories(ofApp app: String? = nil) throws(AgentCallError) -> [AccessoryLine] {
    try startCall(OperatorMethodName.list) { json in if let app { json.member("app", app) } }
    return try allReplies { line throws(JSONMemberError) in
      try line.objectIfPresent("accessory").map { line throws(JSONMemberError) in
        try AccessoryLine(reading: line)
      }
    }
  }
}
