// SPDX-License-Identifier: GPL-3.0-or-later

import Explanation
import HCI
import Interfaces

/// What the names of devices of one kind begin with.
enum NameBeginning {
  static let bytesMin = 3
  private static let serialBytesMax = 16
  private static let codeBytesMin = 4
  private static let separators = Array(" -_#:(.".utf8)

  /// What a device's name begins with today and tomorrow: without its own address, and without readings. Nil for what is
  /// no text, or too short: for fewer than ``bytesMin`` bytes, or with `isShort` for nothing but digits that may be a reading.
  /// `whole` is the complete name, which goes on after a shortened one.
  static func lasting(
    _ heard: HeardName, of whole: [UInt8], _ own: OwnAddress, isShort: Bool = false
  ) -> [UInt8]? {
    var name = heard.beginning
    // What changes may begin within a character.
    while heard.changes, !AirText(name).isWellFormed, !name.isEmpty { name.removeLast() }
    for text in [name, whole] where text.starts(with: name) {
      name = Array(name.prefix(own.removed(from: text).count))
    }
    if heard.changes { name = Array(name.reversed().drop(while: isOfReading).reversed()) }
    name = withoutReading(name)
    let isEnough = name.count >= bytesMin || (isShort && name.contains { isLetter($0) || $0 > 0x7F })
    return isEnough && AirText(name).isWellFormed ? name : nil
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

  /// What two names begin with, however short, if they tell two units of one kind apart: after a blank or a dash come
  /// only serial numbers, or names that are whole differ in one number, or in one capital at their end. Nil for names of
  /// different kinds.
  static func common(_ one: [UInt8], _ other: [UInt8], areWhole: Bool) -> [UInt8]? {
    if one == other { return one }
    var count = zip(one, other).prefix { $0 == $1 }.count
    if areWhole, let number = numberThatDiffers(one, other, after: count) { return Array(one[..<number]) }
    if areWhole, let code = codeThatDiffers(one, other, after: count) { return Array(one[..<code]) }
    if areWhole, count >= bytesMin,
      [one, other].allSatisfy({ $0.count == count + 1 && isCapital($0[count]) })
    {
      return Array(one[..<count])
    }
    while count > 0, ![one, other].allSatisfy({ startsPart($0, at: count) }) { count -= 1 }
    guard count >= bytesMin, isSerial(one[count...]), isSerial(other[count...]) else { return nil }
    return Array(one[..<count])
  }

  /// Where the only number begins in which two names differ, the first `count` bytes of which are the same.
  private static func numberThatDiffers(_ one: [UInt8], _ other: [UInt8], after count: Int) -> Int? {
    let start = count - one[..<count].reversed().prefix(while: isDigit).count
    let rests = [one[start...], other[start...]]
    guard rests.allSatisfy({ $0.first.map(isDigit) ?? false }),
      rests[0].drop(while: isDigit) == rests[1].drop(while: isDigit)
    else { return nil }
    return start
  }

  /// Where the hexadecimal digits begin at the end of two names that differ in them: as many in both, in capitals or not,
  /// with a decimal digit among them.
  private static func codeThatDiffers(_ one: [UInt8], _ other: [UInt8], after count: Int) -> Int? {
    guard one.count == other.count else { return nil }
    for isHex in [
      { isDigit($0) || isHexLetter($0) }, { isDigit($0) || isHexLetter($0 & 0xDF) && !isCapital($0) },
    ] {
      let start = count - one[..<count].reversed().prefix(while: isHex).count
      let codes = [one[start...], other[start...]]
      guard codes.allSatisfy({ $0.allSatisfy(isHex) && $0.contains(where: isDigit) }) else { continue }
      if one.count - start >= codeBytesMin { return start }
    }
    return nil
  }

  /// Whether names may be their owners' words: without a digit, and with no more than some letters that both begin with.
  static func areWords(_ one: [UInt8], _ other: [UInt8]) -> Bool {
    ![one, other].contains { $0.contains(where: isDigit) }
      && zip(one, other).prefix { $0 == $1 }.count <= bytesMin
  }

  private static func startsPart(_ name: [UInt8], at index: Int) -> Bool {
    index == name.count || separators.contains(name[index]) || separators.contains(name[index - 1])
  }

  /// Nothing, or letters and digits that are no word.
  private static func isSerial(_ rest: ArraySlice<UInt8>) -> Bool {
    let word = rest.drop(while: separators.contains).filter { $0 != UInt8(ascii: ")") }
    let isHex = word.allSatisfy { isDigit($0) || isHexLetter($0 & 0xDF) }
    let isCode = word.allSatisfy { isDigit($0) || isCapital($0) }
    return word.isEmpty
      || (word.count <= serialBytesMax && (isHex || isCode) && word.contains(where: isDigit))
  }

  private static func isOfReading(_ byte: UInt8) -> Bool {
    isDigit(byte) || isHexLetter(byte) || Array(".,+-".utf8).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isCapital(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte) }
  private static func isHexLetter(_ byte: UInt8) -> Bool { (0x41...0x46).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5A).contains(byte & 0xDF) }
}
