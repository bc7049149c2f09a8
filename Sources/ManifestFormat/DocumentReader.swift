// SPDX-License-Identifier: GPL-3.0-or-later

package import Manifest

/// The steps that all TOML formats share: parse, check the schema, decode, and report all diagnostics at once.
package enum DocumentReader {
  /// Returns the decoded value and its diagnostics. A syntax error or an unknown schema is reported alone.
  package static func read<Value>(
    text: [UInt8], fileName: String, schema: Int64,
    decode: (TomlNode, DiagnosticLog) -> (value: Value, diagnostics: [ManifestDiagnostic])
  ) -> Reading<Value> {
    let root: TomlNode
    do throws(TomlSyntaxError) {
      root = try TomlDocument.parse(text)
    } catch {
      return Reading(fileName: fileName, value: nil, diagnostics: [Diagnostic(error)])
    }
    if let found = foreignSchema(root, supported: schema) {
      let problem = FormatDiagnostic.unsupportedSchema(found: found, supported: schema)
      let diagnostic = Diagnostic(problem, at: ManifestKeyPath().appending("schema"), PositionIndex(root))
      return Reading(fileName: fileName, value: nil, diagnostics: [diagnostic])
    }
    let log = DiagnosticLog()
    let (value, ruleDiagnostics) = decode(root, log)
    let positions = PositionIndex(root, misplaced: log.misplaced)
    let said = log.entries.map { Diagnostic($0.problem, at: $0.path, positions) }
    let found = ruleDiagnostics.prefix(DiagnosticLog.capacity - said.count).map { Diagnostic($0, positions) }
    let rest = rest(of: log, ruleDiagnostics.dropFirst(found.count)).map {
      Diagnostic($0, at: ManifestKeyPath(), positions)
    }
    return Reading(fileName: fileName, value: value, diagnostics: said + found + (rest.map { [$0] } ?? []))
  }

  /// Returns a diagnostic for those that exceed the capacity, an error if one of them is.
  private static func rest(of log: DiagnosticLog, _ diagnostics: some Collection<ManifestDiagnostic>)
    -> FormatDiagnostic?
  {
    let count = log.dropped.count + diagnostics.count
    guard count > 0 else { return nil }
    return .more(count: count, hasError: log.dropped.hasError || diagnostics.contains { $0.kind.isError })
  }

  /// Returns the text's schema if it is not the supported one.
  private static func foreignSchema(_ root: TomlNode, supported: Int64) -> Int64? {
    guard case .table(let entries) = root.value,
      case .integer(let found)? = entries.first(where: { $0.key == "schema" })?.node.value
    else { return nil }
    return found == supported ? nil : found
  }
}

extension Diagnostic {
  fileprivate init(_ error: TomlSyntaxError) {
    let problem = FormatDiagnostic.syntax(error.reason)
    self.init(severity: problem.severity, line: error.line, keyPath: "", message: problem.sentence)
  }

  fileprivate init(_ problem: FormatDiagnostic, at path: ManifestKeyPath, _ positions: PositionIndex) {
    let path = positions.written(path)
    self.init(
      severity: problem.severity, line: positions.line(of: path), keyPath: path.description,
      message: problem.sentence)
  }

  fileprivate init(_ diagnostic: ManifestDiagnostic, _ positions: PositionIndex) {
    let path = positions.written(diagnostic.path)
    self.init(
      severity: diagnostic.kind.isError ? .error : .warning, line: positions.line(of: path),
      keyPath: path.description, message: diagnostic.kind.sentence)
  }
}
