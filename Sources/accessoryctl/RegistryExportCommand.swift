// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import JSON
import LinuxSystem
import ToolSystem
import ToolText

struct RegistryExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Write the registry as lines of text.",
    discussion: """
      Writes only after the whole export has arrived. The file is readable for you alone \
      (mode 600). It replaces a file of the same name completely, or not at all.

      Without the keys of bonds, an import keeps the bonds that it finds stored; others are lost, and their \
      devices must be paired again. A program that has the keys can act as this gateway towards \
      its accessories. Only root and the agent's own account may export keys, and the agent \
      logs it.

      Examples:
        accessoryctl registry export backup.registry
        accessoryctl registry export --with-keys backup.registry
        accessoryctl registry export | grep '"row":"accessory"'
      """)

  @Argument(help: "The file to write. (default: standard output)", completion: .file())
  var file: String?

  @Flag(name: .customLong("with-keys"), help: "With the keys of bonds; keep the file secret.")
  var withKeys = false

  @OptionGroup var gateway: GatewayOptions

  func run() throws {
    if withKeys {
      do throws(SystemError) { try ThisProcess.keepSecrets() } catch { throw ToolError.system(error) }
    }
    let lines = try gateway.callForList(
      OperatorMethodName.export, { if withKeys { $0.member("includesKeys", true) } }
    ) { line throws(JSONMemberError) in try line.plainLineIfPresent("line") }
    let text = lines.map { $0 + "\n" }.joined()
    guard let file, file != "-" else {
      var printer = Printer()
      try printer.verbatim(text)
      return try printer.flush()
    }
    try Self.write(text, to: file)
  }

  private static func write(_ text: String, to file: String) throws(ToolError) {
    do throws(SystemError) {
      if try DurableFile.isFree(file) { return try DurableFile.replace(file, with: Array(text.utf8)) }
    } catch {
      throw .sentence(
        "cannot write \(quoted(file)): \(error.reason); the old content is unchanged", .cannotCreate)
    }
    throw .sentence(
      "\(quoted(file)) is not an ordinary file; name another one, or - for standard output", .cannotCreate)
  }
}

extension JSONObjectReader {
  /// A string of one line that can be printed as it is.
  fileprivate func plainLineIfPresent(_ name: String) throws(JSONMemberError) -> String? {
    guard let string = try plainTextIfPresent(name) else { return nil }
    guard !string.unicodeScalars.contains("\n") else { throw error(name, .unknownValue) }
    return string
  }
}
