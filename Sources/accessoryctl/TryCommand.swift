// SPDX-License-Identifier: GPL-3.0-or-later

import AgentCore
import ArgumentParser
import Rendering

struct TryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "try",
    abstract: "Say what matches an item now, and why the rest does not.",
    usage: "accessoryctl try <item> --capture <file> --manifest <file> [options]",
    discussion: """
      One line per device: whether the item has found it, and if not, the first clause \
      that does not hold or what the gate waits for. Exit status: 0 the item has found \
      a device, 1 it has not.

      Example:
        accessoryctl try lights/bulb --capture room.btsnoop --manifest accessoryd.toml
      """)

  @Argument(help: "An item's id, with its app before it (app/item) where another app has one of the same id.")
  var item: String

  @OptionGroup var source: CaptureLook

  @Flag(help: "One JSON object per device (Config/schema/try.schema.json).")
  var json = false

  func validate() throws { try source.look.requireManifest() }

  func run() throws {
    try source.ask { replay throws(Failure) in
      let index = try self.index(in: replay.dataPath.items)
      var printer = Printer()
      var isFound = false
      for device in replay.dataPath.devices {
        let identities = replay.dataPath.explanations(of: device, item: index)
        isFound = isFound || identities.contains(where: \.isFound)
        try show(identities, &printer)
      }
      try printer.flush()
      return isFound ? .success : .no
    }
  }

  /// People get one line per device: of the identity that matches, or else of the item's first.
  private func show(_ identities: [ItemExplanation], _ printer: inout Printer) throws(Failure) {
    guard json else {
      let best = identities.first(where: \.holds) ?? identities.first
      return try printer.text(best.map { Trial($0).text(printer.style) } ?? "")
    }
    try printer.lines { writer in
      for identity in identities { Trial(identity).write(to: &writer) }
    }
  }

  private func index(in items: [ManifestItem]) throws(Failure) -> Int {
    let named = items.indices.filter { items[$0].item.id == item || items[$0].path == item }
    if let index = named.first, named.count == 1 { return index }
    let candidates = (named.isEmpty ? Array(items.indices) : named).map { shown(items[$0].path) }
    let known = candidates.prefix(10).joined(separator: ", ")
    let fault =
      named.isEmpty ? "the manifest has no item \(quoted(item))" : "several apps have an item \(quoted(item))"
    throw .sentence("\(fault); name one of: \(known)", .usage)
  }
}

extension ManifestItem {
  fileprivate var path: String { "\(app)/\(item.id)" }
}
