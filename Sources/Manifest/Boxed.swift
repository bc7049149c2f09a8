// SPDX-License-Identifier: GPL-3.0-or-later

/// A value that is kept outside of what has it. Where most have none, they stay small: an app's feed holds hundreds of
/// accessories.
public indirect enum Boxed<Value: Hashable & Sendable>: Hashable, Sendable {
  case value(Value)

  public init(_ value: Value) { self = .value(value) }

  public var value: Value {
    switch self {
    case .value(let value): value
    }
  }
}
