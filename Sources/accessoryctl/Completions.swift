// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import ToolText
import Varlink

/// What the shell offers for a word of the command line: the apps, items, accessories and devices of the agent.
///
/// Without an agent, or the right to ask it, nothing is offered.
enum Completions {
  /// A shell waits for the answer.
  private static let patienceSeconds = 1

  static let apps = CompletionKind.custom { words, _, _ in
    let all = itemPaths(words).map { String($0.prefix { $0 != "/" }) }
    return offered(all + (accessories(words)?.map(\.app) ?? []))
  }

  /// The items of the app that `--app` names, by id; otherwise of all apps, as `app/item`.
  static let items = CompletionKind.custom { words, _, _ in
    let paths = itemPaths(words)
    guard let app = value(of: "--app", in: words) else { return offered(paths) }
    return offered(paths.filter { $0.hasPrefix("\(app)/") }.map { String($0.dropFirst(app.utf8.count + 1)) })
  }

  /// Accessories by name, or by identifier where others have the name.
  static let accessories = CompletionKind.custom { words, _, _ in
    guard let all = accessories(words) else { return [] }
    let names = Dictionary(grouping: all, by: \.displayName)
    return offered(
      zip(all, all.shortIdentifiers).map { names[$0.displayName]?.count == 1 ? $0.displayName : $1 })
  }

  /// Devices in sight by their own name, where only one has it, and by address.
  static let devices = CompletionKind.custom { words, _, _ in
    let lines = list(GatewayMethodName.sightings, words, GatewayCall(all: true).write) {
      line throws(JSONMemberError) in
      try line.objectIfPresent("device").map { line throws(JSONMemberError) in try DeviceLine(reading: line) }
    }
    let devices = lines ?? []
    let names = Dictionary(grouping: devices.compactMap { $0.name?.repaired }, by: \.self)
    return offered(names.filter { $0.value.count == 1 }.map(\.key) + devices.compactMap(\.address.text))
  }

  /// The devices that were removed from the app that is named first, and their items.
  static let removed = CompletionKind.custom { words, _, _ in
    let lines = list(OperatorMethodName.registry, words) { line throws(JSONMemberError) in
      try RegistryLine(reading: line)
    }
    return offered(
      (lines ?? []).flatMap { line -> [String] in
        guard let removed = line.removed, words.contains(removed.app) else { return [] }
        return [removed.item, removed.device]
      })
  }

  // MARK: Asking the agent

  /// The manifest's items as `app/item`.
  private static func itemPaths(_ words: [String]) -> [String] {
    list(GatewayMethodName.items, words) { line throws(JSONMemberError) in
      try line.objectIfPresent("item").map { item throws(JSONMemberError) in
        "\(try item.string("app"))/\(try item.string("item"))"
      }
    } ?? []
  }

  private static func accessories(_ words: [String]) -> [AccessoryLine]? {
    list(OperatorMethodName.list, words) { line throws(JSONMemberError) in
      try line.objectIfPresent("accessory").map { line throws(JSONMemberError) in
        try AccessoryLine(reading: line)
      }
    }
  }

  private static func list<Element>(
    _ method: some ServedMethod, _ words: [String], _ parameters: (inout JSONWriter) -> Void = { _ in },
    _ element: (JSONObjectReader) throws(JSONMemberError) -> Element?
  ) -> [Element]? {
    do throws(AgentCallError) {
      var connection = try GatewayConnection(path: path(words))
      try connection.startCall(method, parameters)
      return try connection.allReplies(within: patienceSeconds, element)
    } catch {
      return nil
    }
  }

  private static func path(_ words: [String]) -> String {
    GatewayOptions.path(given: value(of: "--socket", in: words))
  }

  /// The value of an option in a command line that is being typed.
  private static func value(of option: String, in words: [String]) -> String? {
    for (place, word) in words.enumerated() {
      if word == option, place + 1 < words.count { return words[place + 1] }
      if word.hasPrefix(option + "=") { return String(word.dropFirst(option.utf8.count + 1)) }
    }
    return nil
  }

  /// Each word once, in order. Bash expands what it is offered, and names come from the air: only words without any
  /// meaning to a shell are offered.
  static func offered(_ words: [String]) -> [String] {
    Set(words).filter { word in
      !word.isEmpty && !word.hasPrefix("-") && word.unicodeScalars.allSatisfy(\.isPlain)
        && AirText(Array(word.utf8)).escaped() == word
    }.sorted()
  }
}

extension Unicode.Scalar {
  /// Whether no shell gives it a meaning.
  fileprivate var isPlain: Bool {
    switch self {
    case "a"..."z", "A"..."Z", "0"..."9", " ", "-", "_", ".", ",", ":", "/", "+", "@": true
    default: properties.isAlphabetic
    }
  }
}
