// SPDX-License-Identifier: GPL-3.0-or-later

import LinuxSystem

/// The file with a bridge's configuration.
public struct ConfigurationFile: Sendable {
  private static let byteCountMax = 1 << 20

  public let path: String
  /// The name of the program, for what it says.
  private let program: String

  public init(path: String, of program: String) { (self.path, self.program) = (path, program) }

  public func contents() throws(ProgramError) -> [UInt8] {
    do throws(SystemError) {
      return try DurableFile.contents(of: path, byteCountMax: Self.byteCountMax)
    } catch {
      if error.isMissing {
        throw .failure(.noInput, "\(path): there is no such file; write it, or name another: --config FILE")
      }
      if error.isPermission { throw .failure(.noPermission, "\(path): this account may not read it") }
      throw .failure(.noInput, "\(path): it cannot be read: \(error.reason)")
    }
  }

  /// Why the program does not begin with it.
  public var hasErrors: ProgramError {
    .failure(.dataError, "\(path) has errors; correct them, and try \(program) check")
  }

  /// Reads it again. `read` returns a configuration, and lines with what is wrong with it; nil when nothing changes.
  public func readAgain<Value>(
    _ log: BridgeLog, _ read: ([UInt8]) -> (value: Value?, lines: [String])
  ) -> Value? {
    do throws(ProgramError) {
      let (value, lines) = read(try contents())
      for line in lines { log.say(.warning, line) }
      if value == nil { log.say(.error, "\(path) has errors; the configuration stays as it was") }
      return value
    } catch {
      log.say(.error, "\(error.sentence(of: program)); the configuration stays as it was")
      return nil
    }
  }

  /// Prints what is wrong with it: `lines`, and the named files that cannot be read.
  public func check(
    isReadable: Bool, lines: [String], files: [(key: String, path: String?)]
  ) throws(ProgramError) {
    let missing = files.compactMap(Self.problem)
    for line in lines + missing { print(line) }
    guard isReadable, missing.isEmpty else {
      throw .failure(.dataError, "\(path) has errors; correct them")
    }
    print("\(path): no errors")
  }

  private static func problem(key: String, path: String?) -> String? {
    guard let path else { return nil }
    do throws(SystemError) {
      _ = try DurableFile.contents(of: path, byteCountMax: byteCountMax)
      return nil
    } catch { return "\(key): \(path) cannot be read: \(error.reason)" }
  }
}

/// What systemd's LoadCredential= brings.
public struct Credentials: Sendable {
  /// Nil without any.
  private let folder: String?

  public init(folder: String?) { self.folder = folder }

  /// The first line of a credential; nil when there is none.
  public func line(_ name: String) -> String? {
    guard let bytes = contents(name) else { return nil }
    let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != 0 }
    return line.isEmpty ? nil : String(decoding: line, as: UTF8.self)
  }

  /// The file of a credential that has more than an empty line; nil when there is none.
  public func path(_ name: String) -> String? {
    line(name) == nil ? nil : folder.map { "\($0)/\(name)" }
  }

  private func contents(_ name: String) -> [UInt8]? {
    folder.flatMap { try? DurableFile.contents(of: "\($0)/\(name)", byteCountMax: 1 << 16) }
  }
}
