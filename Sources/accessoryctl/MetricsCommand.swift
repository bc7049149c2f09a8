// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import ToolText

/// `accessoryctl metrics`: the agent's counters, in the text format of Prometheus.
struct MetricsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "metrics",
    abstract: "Print every counter, for Prometheus.",
    discussion: """
      The Prometheus text format: for a node exporter's textfile collector, for instance.

      Example:
        accessoryctl metrics > /var/lib/node-exporter/accessoryd.prom
      """)

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    let text = try gateway.one(GatewayMethodName.metrics) { line throws(JSONMemberError) in
      try line.plainText("text")
    }
    var printer = Printer()
    try printer.text(text)
    try printer.flush()
  }
}
