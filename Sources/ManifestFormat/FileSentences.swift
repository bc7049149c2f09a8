// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

extension FileProtectionError {
  /// Why the file is refused, and what helps.
  public var sentence: String {
    switch self {
    case .notAFile: "this is not a regular file; name the file itself"
    case .foreignOwner(let owner):
      "user \(owner) owns the file and could change it; chown it to root or to the agent's user"
    case .othersWrite(let permissions):
      "others may write the file (mode \(Self.octal(permissions))); chmod go-w it"
    case .othersRead(let permissions):
      "others may read the keys (mode \(Self.octal(permissions))); chmod 600 the file"
    }
  }

  private static func octal(_ permissions: UInt32) -> String {
    let digits = String(permissions, radix: 8)
    return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
  }
}
