// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import Interfaces
import LinuxSystem
import Manifest
import ManifestEdits
import ManifestFormat
import ToolText

struct WebApplyCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Put a draft of the page into the manifest.",
    usage: "accessoryctl web apply <draft> [--yes] [options]",
    discussion: """
      Checks the draft anew, shows what it changes, asks, writes the manifest, and makes the agent read it. A draft may \
      change the tables of apps and their items, and nothing else. The page itself writes no manifest. \
      Exit status: 0, 1 you did not agree, 65 the draft has errors or changes more.

      Example:
        sudo accessoryctl web apply draft-1
      """)

  @Argument(help: "The draft's name, as the page shows it.")
  var draft: String

  @OptionGroup var manifest: ManifestOption

  @OptionGroup var page: PageOptions

  @OptionGroup var gateway: GatewayOptions

  @Flag(help: "Do not ask.")
  var yes = false

  func validate() throws {
    guard !draft.isEmpty, draft.utf8.allSatisfy({ $0 == UInt8(ascii: "-") || $0.isDigitOrLetter }) else {
      throw ValidationError("a draft is called draft-1 or alike")
    }
  }

  func run() throws {
    let file = try ConfigurationFile(reading: manifest.path)
    let text = try ConfigurationFile(reading: "\(page.folder)/drafts/\(draft).toml").text
    if let line = AppSections.firstOtherDifference(of: text, from: file.text) {
      throw ToolError.sentence(
        "the draft changes more than apps and their items, in line \(line); edit \(quoted(file.path)) by hand for that",
        .dataError)
    }
    guard text != file.text else {
      throw ToolError.sentence("\(quoted(file.path)) says the same already; nothing was changed", .no)
    }
    try requireNoError(in: text, file.path)
    try SetupDialogue(isTerminal: StandardError.isTerminal).confirm(
      ["change \(shown(file.path)):"], file: file.difference(to: text), isYes: yes)
    try file.replace(with: text)
    try AgentService.reload(gateway)
    StandardError.say("\(shown(file.path)) has the change now, and the agent has read it")
  }

  /// Prints what is wrong with the draft. Throws when the agent would refuse it.
  private func requireNoError(in text: [UInt8], _ path: String) throws(ToolError) {
    // It gets the rights of the manifest, whose text it becomes.
    let facts = FileFacts(mode: 0o100_600, owner: 0)
    let check = ManifestCheck(
      .text(text, facts), fileName: path, accounts: .system,
      board: { BoardList.profile(named: $0, manifestPath: path) },
      boards: BoardList.boards(manifestPath: path))
    for diagnostic in check.diagnostics { StandardError.write(diagnostic.text(inFile: draft) + "\n") }
    guard check.status == .accepted else { throw .reported(.dataError) }
  }
}

extension UInt8 {
  fileprivate var isDigitOrLetter: Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(self)
      || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(self)
  }
}
