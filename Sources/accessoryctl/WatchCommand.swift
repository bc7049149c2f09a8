// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser

struct WatchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "watch",
    abstract: "Show what is found, changed and lost, as it happens.",
    usage: "accessoryctl watch [--app <app>] [--item <item>] [options]",
    discussion: """
      Begins with the devices that items have found already. Goes on when the agent is \
      started anew or the connection breaks, and says what was missed. Ctrl-C ends it. \
      Times are the wall clock's here; in JSON they are the agent's own.

      Examples:
        accessoryctl watch
        accessoryctl watch --app lights --item bulb
        accessoryctl watch --json --count 100 > events.jsonl
      """)

  @OptionGroup var gateway: GatewayOptions

  @OptionGroup var selection: WatchSelection

  @Option(help: ArgumentHelp("End after so many events.", valueName: "n"))
  var count: Int?

  @Option(
    parsing: .unconditional, help: ArgumentHelp("End after so many seconds.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  @Flag(help: "One JSON object per event and gap (Config/schema/watch.schema.json).")
  var json = false

  func validate() throws {
    if let count, count < 1 { throw ValidationError("--count takes a number from 1 on") }
  }

  func run() throws {
    var watch = try LiveWatch(
      path: gateway.path, lasting: seconds?.instant,
      WatchPrinter(json: json, selection: selection, countMax: count))
    try watch.run()
  }
}

/// Which events are shown.
struct WatchSelection: ParsableArguments {
  @Option(help: "Only events of this app.")
  var app: String?

  @Option(help: "Only events of this item: its id, or app/item.")
  var item: String?

  func holds(app: String, item: String) -> Bool {
    guard self.app == nil || self.app == app else { return false }
    return self.item == nil || self.item == item || self.item == "\(app)/\(item)"
  }
}
