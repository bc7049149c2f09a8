// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import JSON
import LinuxSystem
import ToolText

/// Standard output, as text for people or as lines of JSON.
struct Printer: ~Copyable {
  private var output = OutputFile.standardOutput()
  private var json = JSONWriter()
  let style: TextStyle

  /// The room there is for people; nil for as much as it takes.
  let columnsMax: Int?

  init() {
    columnsMax = output.terminalColumnCount
    let isColored =
      output.isTerminal && !Environment.has("NO_COLOR") && Environment.value(of: "TERM") != "dumb"
    style = isColored ? .colored : .plain
  }

  mutating func text(_ text: String) throws(Failure) {
    do throws(SystemError) { try output.write(text.utf8) } catch { throw .output(error) }
  }

  mutating func lines(_ body: (inout JSONWriter) -> Void) throws(Failure) {
    body(&json)
    do throws(SystemError) { try output.write(json.takeBytes()) } catch { throw .output(error) }
  }

  mutating func line(_ line: some Line) throws(Failure) { try lines { line.write(to: &$0) } }

  /// To be called at the end: what was not flushed is lost.
  mutating func flush() throws(Failure) {
    do throws(SystemError) { try output.flush() } catch { throw .output(error) }
  }

  /// Writes out what waits, unless a signal asks the program to end while nobody reads; answers whether it did.
  mutating func flush(_ interruption: Interruption) throws(Failure) -> Bool {
    do throws(SystemError) {
      return try output.flush(unlessReadable: interruption.number)
    } catch {
      throw .output(error)
    }
  }

  /// Waits for a deadline with everything flushed; answers whether somebody still reads.
  mutating func wait(until deadline: MonotonicInstant) throws(Failure) -> Bool {
    try flush()
    do throws(SystemError) { return try output.wait(until: deadline) } catch { throw .clock(error) }
  }
}
