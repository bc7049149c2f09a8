// SPDX-License-Identifier: GPL-3.0-or-later

import Suggestions
import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText

/// Standard output, as text or as lines of JSON.
struct Printer: ~Copyable {
  private var output = OutputFile.standardOutput()
  private var json: JSONWriter
  private let isColored: Bool
  let isTerminal: Bool

  /// `keepsNull`: lines of JSON have each key, with null where there is no value.
  init(keepsNull: Bool = false) {
    json = JSONWriter(keepsNull: keepsNull)
    isTerminal = output.isTerminal
    isColored = isTerminal && !Environment.has("NO_COLOR") && Environment.value(of: "TERM") != "dumb"
  }

  /// As wide as the terminal is now.
  var style: TextStyle {
    TextStyle(isColored: isColored, columnsMax: output.terminalColumnCount, vendors: { Self.vendors[$0] })
  }

  /// Read when the first company is printed.
  private static let vendors: VendorNames = {
    let paths = Environment.value(of: "ACCESSORYD_VENDORS").map { [$0] } ?? VendorNames.paths
    for path in paths {
      let contents = try? FileContents(ofFile: path, byteCountMax: VendorNames.byteCountMax)
      if let contents { return VendorNames(hwdb: contents.bytes) }
    }
    return .none
  }()

  /// Sentences and tables: on a terminal, folded at its width.
  mutating func text(_ text: String) throws(ToolError) {
    try verbatim(output.terminalColumnCount.map { text.foldedLines(to: $0) } ?? text)
  }

  /// A suggested manifest: on a terminal, with comments that fit its width.
  mutating func manifest(_ text: String) throws(ToolError) {
    try verbatim(
      output.terminalColumnCount.map { text.refilledComments(to: min($0, Suggestion.columnsMax)) } ?? text)
  }

  /// Text for other programs, such as TOML.
  mutating func verbatim(_ text: String) throws(ToolError) {
    do throws(SystemError) { try output.write(text.utf8) } catch { throw .output(error) }
  }

  mutating func lines(_ body: (inout JSONWriter) -> Void) throws(ToolError) {
    body(&json)
    do throws(SystemError) { try output.write(json.takeBytes()) } catch { throw .output(error) }
  }

  mutating func line(_ line: some Line) throws(ToolError) { try lines { line.write(to: &$0) } }

  /// Must be called at the end: text that was not flushed is lost.
  mutating func flush() throws(ToolError) {
    do throws(SystemError) { try output.flush() } catch { throw .output(error) }
  }

  /// Writes out what waits, unless a signal asks the program to end while the reader is stuck. Returns whether it did.
  mutating func flush(_ interruption: Interruption) throws(ToolError) -> Bool {
    do throws(SystemError) {
      return try output.flush(unlessReadable: interruption.number)
    } catch {
      throw .output(error)
    }
  }

  /// Flushes, and waits for a deadline. Returns whether the output still has a reader.
  mutating func wait(until deadline: MonotonicInstant) throws(ToolError) -> Bool {
    try flush()
    do throws(SystemError) { return try output.wait(until: deadline) } catch { throw .clock(error) }
  }
}
