// SPDX-License-Identifier: GPL-3.0-or-later

/// A file that is no btsnoop capture: what it is, from its first bytes, and how to make a capture of it.
public struct ForeignCapture: Equatable, Sendable {
  /// As many bytes are looked at; a header of pcapng has a few hundred.
  static let headBytesMax = 4096

  private enum Format: Equatable, Sendable {
    case pcap(linkType: UInt32)
    /// The link type of the first interface; nil when it comes too late.
    case pcapng(linkType: UInt32?)
    case packetLogger
    /// What `hcidump -w` writes.
    case hcidump
    case gzip
    case zip
    case hex
  }

  private let format: Format

  /// Nil for bytes that are of no format that is known here.
  init?(_ head: [UInt8]) {
    let head = Head(head)
    if let linkType = head.pcapLinkType {
      format = .pcap(linkType: linkType)
    } else if head.starts(with: [0x0A, 0x0D, 0x0D, 0x0A]) {
      format = .pcapng(linkType: head.pcapngLinkType)
    } else if head.starts(with: [0x1F, 0x8B]) {
      format = .gzip
    } else if head.starts(with: Array("PK\u{3}\u{4}".utf8)) {
      format = .zip
    } else if head.isPacketLogger {
      format = .packetLogger
    } else if head.isHcidump {
      format = .hcidump
    } else if head.isHex {
      format = .hex
    } else {
      return nil
    }
  }

  /// What a file is that should have lines of hex, and what to do with it; nil when it may have such lines.
  public static func sentence(ofHex bytes: [UInt8], file path: String) -> String? {
    if bytes.starts(with: Array("btsnoop\0".utf8)) {
      return "it is a capture; read it with --capture \(path)"
    }
    guard let capture = Self(Array(bytes.prefix(headBytesMax))), capture.format != .hex else { return nil }
    return capture.sentence(ofFile: path)
  }

  /// What it is and what to do with it, after its name. `path` is how the shell writes the name.
  public func sentence(ofFile path: String) -> String {
    switch format {
    case .pcap(let type): "it is a pcap capture\(Self.cure(type, path))"
    case .pcapng(let type):
      "it is a pcapng capture\(type.map { Self.cure($0, path) } ?? Self.conversion("", path))"
    case .packetLogger:
      "it is a capture of Apple's PacketLogger, which editcap cannot convert: copy its advertising packets as hex, and give "
        + "them with --hex"
    case .hcidump: "it is a dump of hcidump -w\(Self.conversion("", path))"
    case .gzip: "it is compressed; read it with zcat \(path) | accessoryctl decode -, or unpack it first"
    case .zip:
      "it is a zip file; unpack it first: in a bug report of Android the log is "
        + "FS/data/misc/bluetooth/logs/btsnoop_hci.log"
    case .hex: "it has lines of hex; read them with --hex - < \(path)"
    }
  }

  /// The link types of tcpdump.org, "Link-layer header types".
  private static func cure(_ linkType: UInt32, _ path: String) -> String {
    switch linkType {
    case 201, 254: conversion("", path)
    // editcap needs a type that has the direction of the packets.
    case 187: conversion(" -T bluetooth-h4-linux", path)
    case 251, 256, 272:
      " of a sniffer (link type \(linkType)): the link layer of every channel, and not what an adapter reports. Nothing "
        + "converts it; copy the data of an advertisement as hex, and give it with --hex"
    case 255: " of classic Bluetooth on the air (link type 255), in which there are no advertisements"
    default:
      " without Bluetooth packets of an adapter (link type \(linkType)); record one with btmon -w FILE or accessoryctl "
        + "capture FILE"
    }
  }

  private static func conversion(_ options: String, _ path: String) -> String {
    "; convert it with editcap -F btsnoop\(options) \(path) OUT (editcap is part of Wireshark)"
  }
}

/// The first bytes of a file.
private struct Head {
  private let bytes: [UInt8]

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func starts(with magic: [UInt8]) -> Bool { bytes.starts(with: magic) }

  private func number(at offset: Int, isBigEndian: Bool) -> UInt32? {
    guard offset >= 0, offset + 4 <= bytes.count else { return nil }
    let value = bytes[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    return isBigEndian ? value : value.byteSwapped
  }

  /// The link type of a pcap file of either byte order, with times in microseconds or nanoseconds. The upper bits have another meaning.
  var pcapLinkType: UInt32? {
    for isBigEndian in [true, false] {
      guard let magic = number(at: 0, isBigEndian: isBigEndian), [0xA1B2_C3D4, 0xA1B2_3C4D].contains(magic)
      else { continue }
      return number(at: 20, isBigEndian: isBigEndian).map { $0 & 0xFFFF }
    }
    return nil
  }

  /// The link type in the first interface description block after the section header.
  var pcapngLinkType: UInt32? {
    let isBigEndian = number(at: 8, isBigEndian: true) == 0x1A2B_3C4D
    var offset = 0
    while let type = number(at: offset, isBigEndian: isBigEndian),
      let length = number(at: offset + 4, isBigEndian: isBigEndian), length >= 12, length <= 1 << 16
    {
      if type == 1, let word = number(at: offset + 8, isBigEndian: isBigEndian) {
        return isBigEndian ? word >> 16 : word & 0xFFFF
      }
      offset += Int(length)
    }
    return nil
  }

  /// Two records: a length, a time of 8 bytes, a type. It has no magic number.
  var isPacketLogger: Bool {
    [true, false].contains { isBigEndian in
      var offset = 0
      for _ in 0..<2 {
        guard let length = number(at: offset, isBigEndian: isBigEndian), (9...70_000).contains(length),
          offset + 13 <= bytes.count,
          [0, 1, 2, 3, 8, 9].contains(bytes[offset + 12]) || bytes[offset + 12] >= 0xF6
        else { return false }
        offset += 4 + Int(length)
        if offset == bytes.count { return true }
      }
      return true
    }
  }

  /// Records of a length of 2 bytes, a direction, a byte of padding, seconds and microseconds, all in the byte order of most
  /// machines, and an H4 packet (bluez-hcidump, hcidump.h, `struct hcidump_hdr`). It has no magic number: every record that
  /// is there has to fit.
  var isHcidump: Bool {
    var offset = 0
    while offset + 13 <= bytes.count {
      let byteCount = Int(bytes[offset]) | Int(bytes[offset + 1]) << 8
      guard byteCount >= 3, bytes[offset + 2] <= 1,
        number(at: offset + 8, isBigEndian: false).map({ $0 < 1_000_000 }) ?? false,
        (1...5).contains(bytes[offset + 12])
      else { return false }
      offset += 12 + byteCount
    }
    return offset > 0
  }

  /// Text of hex digits.
  var isHex: Bool { bytes.count > 1 && HexCapture.isHex(String(decoding: bytes.prefix(256), as: UTF8.self)) }
}
