// SPDX-License-Identifier: Apache-2.0

/// The named types that have a value: those that do not need themselves, directly or through others.
///
/// Arrays, maps and optional types have a value without any of their element type.
struct WholeTypes {
  private enum Knowledge {
    case asked, whole
  }

  private let members: [String: InterfaceDescription.Member]
  private var known: [String: Knowledge] = [:]

  init(_ members: [String: InterfaceDescription.Member]) { self.members = members }

  mutating func contains(_ name: String) -> Bool {
    switch known[name] {
    case .whole: return true
    case .asked: return false
    case nil: break
    }
    guard case .type(let type)? = members[name] else { return false }
    known[name] = .asked
    guard isWhole(type) else { return false }
    known[name] = .whole
    return true
  }

  private mutating func isWhole(_ type: InterfaceType) -> Bool {
    switch type {
    case .truth, .integer, .fraction, .text, .foreign, .choice, .array, .map, .optional: return true
    case .named(let name): return contains(name)
    case .structure(let fields):
      for field in fields where !isWhole(field.type) { return false }
      return true
    }
  }
}
