// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest
import Interfaces
public import ArgumentParser

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show devices as they are found, changed and lost.",
    usage: """
      accessoryctl watch [--app <app>] [--item <item>] [options]
      accessoryctl watch --reports [--forward <which>] [--app <app>] [options]
      """,
    discussion: """
      Begins with the devices that items have found already. Continues after a restart of \
      the agent or a lost connection, and says how many events it missed. Without --item it \
      also shows when apps are connected to their accessories, and without --app how the \
      radio changes. Ctrl-C ends it. \
      Times are those of the wall clock here; in JSON they are the agent's own. \
      With --reports it shows the radio's reports as they are received, each once, and says \
      how many it missed because it was too slow. \
      Exit status: 0 something was shown, 1 --seconds were over before.

      Examples:
        accessoryctl watch
        accessoryctl watch --app lights --item bulb
        accessoryctl watch --json --count 100 > events.jsonl
        accessoryctl watch --reports --forward items
      """)

  @OptionGroup var gateway: GatewayOptions

  @OptionGroup var selection: WatchSelection

  @Flag(help: "Show the radio's reports instead.")
  var reports = false

  @Option(
    help: ArgumentHelp(
      "With --reports: accessories, items (also what items have found), or everything.", valueName: "which"))
  var forward: ReportForward?

  @Option(help: ArgumentHelp("End after this many events.", valueName: "n"))
  var count: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after this many seconds.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  @Flag(help: "One JSON object per event and gap (Config/schema/watch.schema.json, reports.schema.json).")
  var json = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number of at least 1") }
    if forward != nil, !reports { throw ValidationError("--forward goes with --reports") }
    if reports, selection.item != nil {
      throw ValidationError("--reports takes an app, not an item: reports are of devices")
    }
  }

  func run() throws {
    try selection.requireKnown(to: gateway)
    if reports {
      var watch = try LiveReports.open(
        gateway.path, forward: forward, apps: selection.app.map { [$0] }, json: json, count: count,
        lasting: seconds?.instant)
      return try watch.run()
    }
    var watch = try LiveWatch(
      path: gateway.path, lasting: seconds?.instant,
      WatchPrinter(json: json, selection: selection, countMax: count))
    try watch.run()
  }
}

extension ReportForward: ExpressibleByArgument {}

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
