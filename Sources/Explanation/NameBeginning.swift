// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Interfaces

/// What the names of devices of one kind begin with.
enum NameBeginning {
  private static let bytesMin = 3
  private static let serialBytesMax = 16
  private static let separators = Array(" -_#:(.".utf8)

  /// What a device's name begins with today and tomorrow: without its own address, and without readings. Nil for what is
  /// too short, or no text.
  static func lasting(_ heard: HeardName, _ own: OwnAddress) -> [UInt8]? {
    var name = heard.beginning
    // What changes may begin within a character.
    while heard.changes, !AirText(name).isWellFormed, !name.isEmpty { name.removeLast() }
    name = own.removed(from: name)
    if heard.changes { name = Array(name.reversed().drop(while: isOfReading).reversed()) }
    name = withoutReading(name)
    return name.count >= bytesMin && AirText(name).isWellFormed ? name : nil
  }

  /// A name up to a number with a decimal point, which is a reading.
  private static func withoutReading(_ name: [UInt8]) -> [UInt8] {
    for point in name.indices.dropFirst().dropLast() where name[point] == 0x2E || name[point] == 0x2C {
      let digits = name[..<point].reversed().prefix(while: isDigit).count
      let start = point - digits
      guard digits > 0, isDigit(name[point + 1]), start == 0 || !isLetter(name[start - 1]) else { continue }
      return Array(name[..<start].reversed().drop { $0 == 0x2D || $0 == 0x2B }.reversed())
    }
    return name
  }

  /// What two names have in common if they tell two units of one kind apart: after a blank or a dash come only serial
  /// numbers. Nil for names of different kinds.
  static func common(_ one: [UInt8], _ other: [UInt8]) -> [UInt8]? {
    if one == other { return one }
    var count = zip(one, other).prefix { $0 == $1 }.count
    while count > 0, ![one, other].allSatisfy({ startsPart($0, at: count) }) { count -= 1 }
    guard count >= bytesMin, isSerial(one[count...]), isSerial(other[count...]) else { return nil }
    return Array(one[..<count])
  }

  private static func startsPart(_ name: [UInt8], at index: Int) -> Bool {
    index == name.count || separators.contains(name[index]) || separators.contains(name[index - 1])
  }

  /// Nothing, or letters and digits that are no word.
  private static func isSerial(_ rest: ArraySlice<UInt8>) -> Bool {
    let word = rest.drop(while: separators.contains).filter { $0 != UInt8(ascii: ")") }
    let isHex = word.allSatisfy { isDigit($0) || isHexLetter($0 & 0xDF) }
    let isCode = word.allSatisfy { isDigit($0) || (0x41...0x5A).contains($0) }
    return word.isEmpty
      || (word.count <= serialBytesMax && (isHex || isCode) && word.contains(where: isDigit))
  }

  private static func isOfReading(_ byte: UInt8) -> Bool {
    isDigit(byte) || isHexLetter(byte) || Array(".,+-".utf8).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isHexLetter(_ byte: UInt8) -> Bool { (0x41...0x46).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
}
