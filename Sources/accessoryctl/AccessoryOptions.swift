// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import JSON
import ManifestEdits
import ManifestFormat
import ToolText

/// An accessory, as the operator names it.
struct AccessoryOptions: ParsableArguments {
  private static let shownMax = 10

  @Argument(
    help: """
      The accessory's identifier (at least its first 4 digits), its name, the address of its device, or the name by \
      which the device calls itself.
      """,
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
      return (try candidate(among: candidates), all)
    } catch {
      if asDevice, case .ambiguous(let meant) = error, let first = meant.listed.first,
        meant.allSatisfy({ $0.isDevice(of: first) })
      {
        return (first, all)
      }
      throw .sentence(sentence(error, candidates), .no)
    }
  }

  private func candidate(among candidates: [AccessoryLine]) throws(AccessoryNameError) -> AccessoryLine {
    do throws(AccessoryNameError) { return try candidates.accessory(named: accessory) } catch .unknown {
      let meant = DeviceNames.accessories(candidates, onDeviceNamed: accessory, askedOf: gateway)
      guard let first = meant.first else { throw .unknown }
      guard meant.count == 1 else { throw .ambiguous(meant) }
      return first
    } catch { throw error }
  }

  private func sentence(_ error: AccessoryNameError, _ candidates: [AccessoryLine]) -> String {
    let place = app.map { "\(quoted($0)) has" } ?? "there is"
    switch error {
    case .unknown:
      let sentence = "\(place) no accessory \(quoted(accessory))"
      guard !candidates.isEmpty else { return "\(sentence), nor any other; accessoryctl pick sets one up" }
      let near = KeywordSuggestion.nearNames(to: accessory, among: candidates.map(\.displayName))
      let meant = candidates.filter { near.contains($0.displayName) }
      return meant.isEmpty
        ? "\(sentence); name one of: \(names(candidates, among: candidates))"
        : "\(sentence); did you mean \(names(meant, among: candidates))?"
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
