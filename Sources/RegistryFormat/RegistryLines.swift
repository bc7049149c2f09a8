// SPDX-License-Identifier: GPL-3.0-or-later

public import JSON
import Manifest
public import Registry

/// A registry as lines of JSON without line feeds, without the keys of bonds unless they are asked for: a first line with the version and the number of
/// rows, then each row with the names of the file's columns, in the order of tables and numbers.
///
/// Text is text, other bytes are lower-case hexadecimal digits, absent values are left out. Each call of `next()`
/// writes one line.
public struct RegistryExport: Sequence, IteratorProtocol, Sendable {
  /// The version in the first line: that of the tables with these columns. Version 1 had no former identifiers, version 2
  /// no keys of bonds, version 3 no removals of bonds and no Wi-Fi Aware, version 4 no sizes of bluetoothd's keys, version 5
  /// no rhythms.
  public static let version: Int64 = 6

  private let rows: [RegistryRow]
  private let includesKeys: Bool
  /// The number of lines returned so far.
  private var count = 0

  /// `includesKeys`: who reads the lines can act as the gateway towards its accessories.
  public init(_ registry: AccessoryRegistry, includesKeys: Bool = false) {
    rows = registry.rows
    self.includesKeys = includesKeys
  }

  public mutating func next() -> String? {
    guard count <= rows.count else { return nil }
    defer { count += 1 }
    var json = JSONWriter()
    json.line { count == 0 ? head(&$0) : rows[count - 1].write(to: &$0, includesKeys: includesKeys) }
    // The caller that prints the line adds its line feed.
    return String(decoding: json.takeBytes().dropLast(), as: UTF8.self)
  }

  private func head(_ json: inout JSONWriter) {
    json.member(ExportKey.version, Self.version)
    json.member(ExportKey.rowCount, rows.count)
  }
}

/// The names in exports that are not columns.
enum ExportKey {
  static let version = "registry"
  static let rowCount = "rows"
  static let table = "row"
}

extension RegistryRow {
  fileprivate func write(to json: inout JSONWriter, includesKeys: Bool) {
    json.member(ExportKey.table, table.rawValue)
    for (column, value) in zip(table.columns, values) where includesKeys || !column.isSecret {
      switch value {
      case .integer(let integer): json.member(column.name, integer)
      case .text(let text): json.member(column.name, text)
      case .bytes(let bytes): json.member(column.name, Hex(bytes))
      case .null, .unsupported: break
      }
    }
  }
}

/// Reads the lines that ``RegistryExport`` wrote. Without its keys, a bond of the gateway is read as lost; that of
/// bluetoothd stays, but does not count as authenticated.
///
/// Memory: the rows, at most as many as a registry holds.
public enum RegistryImport {
  /// Returns the registry; throws if any line is invalid.
  public static func read(_ lines: [String]) throws(RegistryImportError) -> AccessoryRegistry {
    guard let first = lines.first else { throw .noHead }
    let announced = try rowCount(first)
    guard Int64(lines.count - 1) == announced else {
      throw .rowCount(lines.count - 1, announced: announced)
    }
    var rows: [RegistryRow] = []
    for (index, line) in lines.enumerated().dropFirst() {
      rows.append(try row(object(line, number: index + 1), line: index + 1))
      // One row too many is enough for the error below; no more are read.
      if rows.count > rowsMax { break }
    }
    do throws(RegistryConsistencyError) { return try AccessoryRegistry(rows) } catch {
      throw .violation(error)
    }
  }

  private static let rowsMax = RegistryTable.allCases.reduce(0) { $0 + RegistryLimits.rowsMax(of: $1) }

  /// Returns the number of rows that the first line announces.
  private static func rowCount(_ line: String) throws(RegistryImportError) -> Int64 {
    let head = try object(line, number: 1)
    guard case .integer(let version) = head[ExportKey.version],
      case .integer(let rowCount) = head[ExportKey.rowCount], head.members.count == 2
    else { throw .noHead }
    guard (1...RegistryExport.version).contains(version) else {
      throw .version(version, known: RegistryExport.version)
    }
    return rowCount
  }

  private static func object(_ line: String, number: Int) throws(RegistryImportError) -> JSONObject {
    let element: JSONValue
    do throws(JSONError) {
      element = try JSONReader.read(Array(line.utf8).span)
    } catch {
      throw .notJSON(line: number, error)
    }
    guard case .object(let object) = element else { throw .noRow(line: number) }
    return object
  }

  private static func row(_ object: JSONObject, line: Int) throws(RegistryImportError) -> RegistryRow {
    guard case .string(let name) = object[ExportKey.table], let table = RegistryTable(rawValue: name) else {
      throw .noRow(line: line)
    }
    do throws(ColumnError) {
      var values: [String: Value] = [:]
      let reader = JSONObjectReader(object)
      for name in object.members.map(\.name) where name != ExportKey.table {
        values[name] = try value(name, of: table, in: reader)
      }
      // A bond whose keys were left out.
      if values["bond"] == .text("bonded"), values["bondKeys"] == nil { values["bond"] = .text("lost") }
      return try RegistryRow(table.columns.map { values[$0.name] ?? .null }, of: table)
    } catch {
      throw .badValue(line: line, column: error.column)
    }
  }

  private static func value(
    _ name: String, of table: RegistryTable, in reader: JSONObjectReader
  ) throws(ColumnError) -> Value {
    guard let column = table.columns.first(where: { $0.name == name }) else {
      throw ColumnError(column: name)
    }
    do throws(JSONMemberError) {
      return switch column.kind {
      case .integer: .integer(try reader.integer(name))
      case .text: .text(try reader.string(name))
      case .bytes: .bytes(try reader.bytes(name))
      }
    } catch {
      throw ColumnError(column: name)
    }
  }
}

/// Why lines are not an exported registry. `line` counts from 1.
public struct RegistryImportError: Error, Equatable, Sendable {
  /// What is wrong and where, without a full stop.
  public let reason: String

  private init(_ reason: String) { self.reason = reason }

  public static func notJSON(line: Int, _ problem: JSONError) -> Self {
    Self("line \(line) is not JSON from byte \(problem.offset) on")
  }
  /// The first line lacks the version or the number of rows.
  public static let noHead = Self("the first line does not belong to an exported registry")
  public static func version(_ version: Int64, known: Int64) -> Self {
    Self("it was exported by another accessoryd (version \(version); this one reads up to \(known))")
  }
  public static func rowCount(_ count: Int, announced: Int64) -> Self {
    Self("it has \(count) rows, and its first line announces \(announced): lines are missing, or were added")
  }
  /// A line is not an object with the name of its table.
  public static func noRow(line: Int) -> Self { Self("line \(line) is not a row of a registry") }
  /// A member is not a column of the table, or has a value of the wrong type or out of range.
  public static func badValue(line: Int, column: String) -> Self {
    Self("line \(line) has an invalid \(column.quotedForDisplay)")
  }
  public static func violation(_ violation: RegistryConsistencyError) -> Self {
    Self("its rows contradict each other: \(violation.reason)")
  }
}
