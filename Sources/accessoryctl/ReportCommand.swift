// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import ToolText

/// `accessoryctl report`: what a maintainer asks about an adapter in the field, for a report in public.
struct ReportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Print a field report about adapter, kernel and board.",
    discussion: """
      Prints versions, machine, adapters, and the agent's figures, to be pasted into a report. \
      It has no addresses, and no names of apps, items, devices, networks or accounts. \
      Board/hardware.md of the sources lists what was measured where, and takes your figures.

      Example:
        accessoryctl report > report.txt
      """)

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    let status = try gateway.status()
    let metrics = try gateway.callOnce(GatewayMethodName.metrics) { line throws(JSONMemberError) in
      try line.plainText("text")
    }
    var printer = Printer()
    try printer.verbatim(FieldReport(status, metrics: metrics, FieldReport.Machine()).text)
    try printer.flush()
  }
}

extension FieldReport.Machine {
  /// For tests: another folder in place of the root folder.
  private static let rootVariable = "ACCESSORYD_REPORT_ROOT"
  private static let bytesMax = 4096

  /// This machine.
  init() {
    let root = Environment.value(of: Self.rootVariable) ?? ""
    func text(_ path: String) -> String? {
      guard let contents = try? FileContents(reading: root + path, byteCountMax: Self.bytesMax) else {
        return nil
      }
      let line = contents.bytes.prefix { $0 != 0 && $0 != UInt8(ascii: "\n") }
      return String(decoding: line, as: UTF8.self)
    }
    func values(_ path: String) -> [Substring: String] {
      guard let contents = try? FileContents(reading: root + path, byteCountMax: Self.bytesMax) else {
        return [:]
      }
      let lines = String(decoding: contents.bytes, as: UTF8.self).split(separator: "\n")
      let pairs = lines.compactMap { line -> (Substring, String)? in
        guard let mark = line.firstIndex(of: "=") else { return nil }
        let value = line[line.index(after: mark)...].drop { $0 == "\"" }
        return (line[..<mark], String(value.prefix { $0 != "\"" }))
      }
      return Dictionary(pairs) { first, _ in first }
    }
    let distribution = values("/etc/os-release")["PRETTY_NAME"] ?? "a distribution without a name"
    let system = "\(distribution), Linux \(text("/proc/sys/kernel/osrelease") ?? "unknown")"
    let model = text("/proc/device-tree/model") ?? text("/sys/class/dmi/id/product_name") ?? "unknown"
    let bluetooth = "/sys/class/bluetooth"
    let names = (try? FolderContents.names(in: root + bluetooth)) ?? []
    let adapters = names.filter { $0.hasPrefix("hci") && !$0.contains(":") }.map { name in
      let device = values("\(bluetooth)/\(name)/device/uevent")
      let parts = [
        device["DRIVER"].map { "driver \($0)" }, device["PRODUCT"].map { "USB \($0)" },
        device["OF_COMPATIBLE_0"], text("\(bluetooth)/\(name)/device/../product"),
      ]
      let known = parts.compactMap(\.self)
      return "\(name): \(known.isEmpty ? "no device of this machine" : known.joined(separator: ", "))"
    }
    let boards = (try? FolderContents.names(in: root + "/usr/share/accessoryd/board")) ?? []
    let profileNames = boards.filter { $0.hasSuffix(".toml") }.map { String($0.dropLast(5)) }
    self.init(
      system: system, model: model, adapters: adapters, profileNames: Set(profileNames))
  }
}
