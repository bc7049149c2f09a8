// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The README")
struct ReadmeTests {
  private static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  /// The first block of code in `language`.
  private static func block(_ language: String) throws -> String {
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let block = readme.split(separator: "```\(language)\n").dropFirst().first?.split(separator: "```").first
    return String(try #require(block))
  }

  @Test("Its terminal sessions, and those it refers to, are what the commands print")
  func session() throws {
    let folder = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let run = try Tool.spawn(Self.root.path + "/Scripts/steps/readme", [folder, "--check"])
    #expect(run.status == 0, "\(run.text)\(run.errorOutput)")
  }

  @Test("Its manifest has nothing wrong")
  func manifest() throws {
    let folder = try TemporaryFolder()
    let file = try folder.file("manifest.toml", Array(try Self.block("toml").utf8))
    let run = try Tool.run("check", "--json", file)
    #expect(run.status == 0 && run.text.isEmpty, "\(run.text)")
  }

  @Test(
    "Every command of these pages succeeds on a simulated gateway",
    arguments: ["Config/README.md", "Board/README.md"])
  func commands(_ page: String) throws {
    let folder = URL(fileURLWithPath: Tool.path).deletingLastPathComponent().path
    let run = try Tool.spawn(Self.root.path + "/Scripts/steps/simulated-gateway", [folder, page])
    #expect(run.status == 0, "\(run.text)\(run.errorOutput)")
  }

  @Test(
    "What the pages quote in the first column of these tables is what the programs say",
    arguments: [("Config/README.md", "Why is a device not found?"), ("Board/README.md", "Troubleshooting")])
  func quotes(_ page: String, _ title: String) throws {
    let tree = try SourceTree(Self.root.appendingPathComponent("Sources"))
    let sources = tree.pages.values.joined(separator: "\n")
    let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    let section = try #require(
      text.components(separatedBy: "## \(title)\n").dropFirst().first?.components(separatedBy: "\n## ").first)
    let quotes = section.matches(of: /^\| `([^`]+)` \|/.anchorsMatchLineEndings()).map { String($0.1) }
    #expect(quotes.count > 8)
    for part in quotes.flatMap({ $0.split(separator: /\b(?:KEY|N|M)\b/) }) {
      let words = part.trimmingCharacters(in: .whitespaces)
      #expect(sources.contains(words), "\(words)")
    }
  }

  @Test("Board/README.md explains every problem that status knows")
  func problems() throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent("Board/README.md"), encoding: .utf8)
    let file = Self.root.appendingPathComponent("Sources/Agent/Status/Problem.swift")
    let source = try String(contentsOf: file, encoding: .utf8)
    let kinds = source.matches(of: /(?:kind: |problems\.add\(\s*)"(\w+)"/).map { String($0.1) }
    #expect(kinds.count > 8)
    for kind in kinds { #expect(text.contains("| `\(kind)` |"), "\(kind)") }
  }

  @Test("It has at most 160 lines")
  func length() throws {
    let readme = try String(contentsOf: Self.root.appendingPathComponent("README.md"), encoding: .utf8)
    #expect(readme.split(separator: "\n", omittingEmptySubsequences: false).count <= 161)
  }

  @Test(
    "The files that the pages name exist",
    arguments: [
      "README.md", "Board/README.md", "Config/README.md", "Scripts/README.md", "Sources/README.md",
      "Tests/README.md",
    ])
  func files(_ page: String) throws {
    let text = try String(contentsOf: Self.root.appendingPathComponent(page), encoding: .utf8)
    let folder = Self.root.appendingPathComponent(page).deletingLastPathComponent().path
    for link in text.matches(of: /\]\(([^):#]+)\)/) {
      #expect(FileManager.default.fileExists(atPath: "\(folder)/\(link.1)"), "\(link.1)")
    }
    for file in text.matches(of: /`([A-Za-z\-]+\/[A-Za-z0-9+\/\-]+\.swift)`/) {
      let isThere = ["", "Sources/"].contains {
        FileManager.default.fileExists(atPath: Self.root.path + "/" + $0 + file.1)
      }
      #expect(isThere, "\(file.1)")
    }
  }

  @Test(
    "The symbols in the numbered paths of Sources/README.md are declared in the files that each step names",
    arguments: ["From a packet to a watcher", "From ShowPicker to an accessory"])
  func symbols(_ title: String) throws {
    let sources = try SourceTree(Self.root.appendingPathComponent("Sources"))
    let page = try #require(sources.pages["README.md"])
    let path = try #require(
      page.components(separatedBy: "## \(title)\n").dropFirst().first?.components(separatedBy: "\n## ").first)
    let steps = path.split(separator: /\n(?=[0-9]+\. )/).map(String.init).dropFirst()
    #expect(steps.count > 5)
    for step in steps {
      let missing = sources.missingSymbols(in: step)
      #expect(missing.isEmpty, "\(missing) in: \(step)")
    }
    #expect(
      sources.missingSymbols(in: "`Pipeline.process`, `Pipeline.driveRadio`") == ["Pipeline.driveRadio"])
  }
}

/// The sources, for a page that quotes their symbols.
private struct SourceTree {
  /// Texts by their paths below `Sources`.
  private(set) var pages: [String: String] = [:]
  /// The names of the methods of the socket.
  private var methods: Set<Substring> = []

  init(_ folder: URL) throws {
    for path in FileManager.default.subpaths(atPath: folder.path) ?? [] {
      guard path.hasSuffix(".swift") || path == "README.md" else { continue }
      pages[path] = try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
    }
    let config = folder.deletingLastPathComponent().appendingPathComponent("Config")
    for name in try FileManager.default.contentsOfDirectory(atPath: config.path)
    where name.hasSuffix(".varlink") {
      let text = try String(contentsOf: config.appendingPathComponent(name), encoding: .utf8)
      methods.formUnion(text.matches(of: /method (\w+)\(/).map(\.1))
    }
  }

  /// Returns the symbols in a step that neither a file of the step nor a type of the step declares, and that are no
  /// methods of the socket.
  func missingSymbols(in step: String) -> [String] {
    let quoted = step.matches(of: /`([A-Za-z][\w.]*)(?:\([\w:]*\))?`/).map { String($0.1) }
    let symbols = quoted.filter { !$0.hasSuffix(".swift") }
    var texts = step.matches(of: /`([\w+\/\-]+\.swift)`/).compactMap { pages[String($0.1)] }
    for type in symbols.compactMap({ $0.split(separator: ".").first }) where type.first?.isUppercase == true {
      texts += pages.values.filter { $0.contains("struct \(type)") || $0.contains("class \(type)") }
      texts += pages.values.filter { $0.contains("extension \(type) ") || $0.contains("enum \(type)") }
    }
    return symbols.filter { symbol in
      guard !methods.contains(symbol[...]) else { return false }
      return !symbol.split(separator: ".").allSatisfy { part in texts.contains { Self.declares(part, in: $0) }
      }
    }
  }

  private static func declares(_ name: Substring, in text: String) -> Bool {
    let pattern = #"\b(func|var|let|struct|enum|class|protocol) \#(name)\b|\bcase [^\n]*\b\#(name)\b"#
    return text.range(of: pattern, options: .regularExpression) != nil
  }
}
