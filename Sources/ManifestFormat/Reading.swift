// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// What came of reading a file: its value unless something is wrong with it, and everything there is to say.
public struct Reading<Value: Sendable>: Sendable {
  public let fileName: String
  /// Nil when a diagnostic is an error.
  public let value: Value?
  /// Ordered by line.
  public let diagnostics: [Diagnostic]

  init(fileName: String, value: Value?, diagnostics: [Diagnostic]) {
    self.fileName = fileName
    self.value = diagnostics.contains { $0.severity == .error } ? nil : value
    self.diagnostics = diagnostics.sorted()
  }

  /// `file:line: key path: sentence`, one diagnostic each.
  public var lines: [String] { diagnostics.map { $0.line(inFile: fileName) } }
}

/// What came of reading a manifest.
public typealias ManifestReading = Reading<GatewayManifest>

extension Reading where Value == GatewayManifest {
  /// Nil when a diagnostic is an error.
  public var manifest: GatewayManifest? { value }
}
