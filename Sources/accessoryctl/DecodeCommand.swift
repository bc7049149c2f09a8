// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Interfaces
import LinuxSystem
import ToolText

struct DecodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode",
    abstract: "Show the advertising reports of a capture.",
    usage: """
      accessoryctl decode <capture> [--all] [--json]
      accessoryctl decode --hex <line> … [--all] [--json]
      """,
    discussion: """
      Shows every report in the capture's order: time, sender, level and content. \
      Fragments of extended advertising appear as they came; the last one shows \
      the whole.

      A capture that is cut off is shown up to its last good record, with a warning. \
      Exit status: 0 there are reports, 1 there is none.

      Examples:
        btmon -w room.btsnoop    (end it with Ctrl-C)
        accessoryctl decode room.btsnoop
        accessoryctl decode --all room.btsnoop
        accessoryctl decode --hex 02 01 06 03 03 AA FE
        zcat room.btsnoop.gz | accessoryctl decode -
        tail -c +1 -f room.btsnoop | accessoryctl decode -
      """)

  @Argument(help: "A btsnoop file (HCI, H4 or monitor format), or - for standard input.", completion: .file())
  var capture: String?

  @OptionGroup var hex: HexOptions

  @Flag(help: "One JSON object per report (Config/schema/decode.schema.json).")
  var json = false

  @Flag(help: "In text, also show the packets that are not advertising reports.")
  var all = false

  func validate() throws {
    guard (capture == nil) == hex.words.isEmpty else { return }
    throw ValidationError(
      capture == nil
        ? "a capture is missing: name a btsnoop file, - for standard input, or give --hex"
        : "a capture and --hex exclude each other")
  }

  func run() throws {
    let file = try (hex.input ?? .file(capture ?? "-")).open()
    var printer = Printer(keepsNull: true)
    var total: CaptureSummary?
    let ending = Result { () throws(ToolError) in
      try file.decode { () throws(ToolError) in
        try printer.flush()
      } _: { record, decoder throws(ToolError) in
        try show(record, &decoder, &printer)
        total = decoder.total
      }
    }
    if total == nil, case .success = ending { total = CaptureSummary() }
    if let total { try finish(total, &printer) }
    if case .failure(let error) = ending { try error.warn(hasResult: total != nil) }
    if total?.reportCount == 0, !all {
      throw ToolError.sentence("the capture has no advertising reports", .no)
    }
  }

  private func show(
    _ record: borrowing BtsnoopRecord, _ decoder: inout CaptureDecoder, _ printer: inout Printer
  ) throws(ToolError) {
    var text = ""
    let style = printer.style
    let (json, all) = (json, all)
    try printer.lines { writer in
      decoder.decode(record) { entry in
        switch entry {
        case .report(let report): if json { report.write(to: &writer) } else { text += report.text(style) }
        case .other(let packet): if all, !json { text += packet.text(style) }
        }
      }
    }
    try printer.text(text)
  }

  private func finish(_ total: CaptureSummary, _ printer: inout Printer) throws(ToolError) {
    if !json { try printer.text("\n" + total.text) }
    try printer.flush()
    if json, let sentence = total.recorder.sentence { StandardError.say(sentence) }
    if json, total.lostReportCount > 0 {
      StandardError.say("\(total.lostReportCount) reports in the capture could not be read and are left out")
    }
  }
}
