// SPDX-License-Identifier: Apache-2.0

/// Why a stream of messages cannot be read on.
public enum FrameProblem: Error, Equatable, Sendable {
  /// So many octets came without the NUL that ends a message.
  case oversized(byteCount: Int)
  /// The stream ended inside a message of which so many octets had come.
  case cut(byteCount: Int)
}
