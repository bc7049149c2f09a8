// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import ArgumentParser

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show devices as they are found, changed and lost.",
    usage: "accessoryctl watch [--app <app>] [--item <item>] [options]",
    discussion: """
      Begins with the devices that items have found already. Continues after a restart of \
      the agent or a lost connection, and says how many events it missed. Without --item it \
      also shows when apps are connected to their accessories, and without --app how the \
      radio changes. Ctrl-C ends it. \
      Times are those of the wall clock here; in JSON they are the agent's own. \
      Exit status: 0 something was shown, 1 --seconds were over before.

      Examples:
        accessoryctl watch
        accessoryctl watch --app lights --item bulb
        accessoryctl watch --json --count 100 > events.jsonl
      """)

  @OptionGroup var gateway: GatewayOptions

  @OptionGroup var selection: WatchSelection

  @Option(help: ArgumentHelp("End after this many events.", valueName: "n"))
  var count: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after this many seconds.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  @Flag(help: "One JSON object per event and gap (Config/schema/watch.schema.json).")
  var json = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
  }

  func run() throws {
    try selection.requireKnown(to: gateway)
    var watch = try LiveWatch(
      path: gateway.path, lasting: seconds?.instant,
      WatchPrinter(json: json, selection: selection, countMax: count))
    try watch.run()
  }
}

/// Which events to show.
struct WatchSelection: ParsableArguments {
  @Option(help: "Only events of this app.", completion: Completions.apps)
  var app: String?

  @Option(help: "Only events of this item: its id, or app/item.", completion: Completions.items)
  var item: String?

  /// Throws unless the manifest has the app and the item: otherwise a watch would wait for ever.
  fileprivate func requireKnown(to gateway: GatewayOptions) throws(ToolError) {
    if let app { try gateway.requireApp(app) }
    guard let item else { return }
    let paths = try gateway.items().map(\.path).filter { path in app.map { path.hasPrefix("\($0)/") } ?? true
    }
    guard !paths.contains(where: { $0 == item || $0.hasSuffix("/\(item)") }) else { return }
    throw .unknownItem(item, known: paths, isAmbiguous: false)
  }

  func includes(app: String, item: String) -> Bool {
    guard self.app == nil || self.app == app else { return false }
    return self.item == nil || self.item == item || self.item == "\(app)/\(item)"
  }
}
