// SPDX-License-Identifier: GPL-3.0-or-later

/// The names of the companies that have Bluetooth company identifiers, from the table of udev: hwdb(7), generated from
/// the assigned numbers of the Bluetooth SIG.
///
/// A file that is missing or has another form gives no names.
public struct VendorNames: Sendable {
  /// Where Debian's package udev, or another distribution, has the table; the first that can be read counts.
  public static let paths = [
    "/usr/lib/udev/hwdb.d/20-bluetooth-vendor-product.hwdb",
    "/lib/udev/hwdb.d/20-bluetooth-vendor-product.hwdb",
  ]
  /// Larger than any table; a larger file is none.
  public static let byteCountMax = 4 << 20

  public static let none = VendorNames(hwdb: [])

  private var names: [UInt16: String] = [:]

  /// Reads records such as `bluetooth:v004C*` and, on the next line, ` ID_VENDOR_FROM_DATABASE=Apple, Inc.`.
  public init(hwdb text: some Sequence<UInt8>) {
    let key = Array("bluetooth:v".utf8)
    let property = Array(" ID_VENDOR_FROM_DATABASE=".utf8)
    var company: UInt16?
    for line in Array(text).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false) {
      if line.starts(with: key) {
        // Records of single products follow, which name no company.
        let digits = String(decoding: line.dropFirst(key.count).prefix(4), as: UTF8.self)
        let isWhole = line.count == key.count + 5 && line.last == UInt8(ascii: "*")
        company = isWhole ? UInt16(digits, radix: 16) : nil
      } else if line.starts(with: property), let number = company {
        names[number] = String(decoding: line.dropFirst(property.count), as: UTF8.self)
      } else if line.isEmpty {
        company = nil
      }
    }
  }

  public subscript(company: UInt16) -> String? { names[company] }

  public var count: Int { names.count }
}
