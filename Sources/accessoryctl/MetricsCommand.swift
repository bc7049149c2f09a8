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
      Prints the Prometheus text format, for example for the node exporter's textfile collector.

      Example:
        accessoryctl metrics > /var/lib/node-exporter/accessoryd.prom
      """)

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    let text = try gateway.callOnce(GatewayMethodName.metrics) { line throws(JSONMemberError) in
      try line.plainText("text")
    }
    var printer = Printer()
    try printer.verbatim(text)
    try printer.flush()
  }
}
