// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import DeviceLines
import Explanation
import HCI
import Interfaces
import LinuxSystem
import Manifest
import ToolText

/// Lines of hex instead of a capture.
struct HexOptions: ParsableArguments {
  @Option(
    name: .customLong("hex"), parsing: .upToNextOption,
    help: ArgumentHelp(
      """
      Read lines of hex: the data of an advertisement, or an HCI packet (04 3E …); with or without blanks, colons, commas \
      and 0x. A file with such lines, or - for standard input.
      """, valueName: "line"))
  var words: [String] = []

  var input: CaptureInput? { words.isEmpty ? nil : .hex(words) }
}

/// Where packets come from, other than from the agent.
enum CaptureInput {
  private static let hexBytesMax = 1 << 22
  private static let listedMax = 8

  case file(String)
  /// Words of the command line.
  case hex([String])
  case lines(HexCapture)

  /// Its option of commands that can also ask the agent.
  var option: String {
    switch self {
    case .file: "--capture"
    case .hex, .lines: "--hex"
    }
  }

  /// What it is, after "the".
  var noun: String {
    switch self {
    case .file: "capture"
    case .hex, .lines: "lines"
    }
  }

  /// Why nothing is known about a device that sent none of it.
  func absence(of address: String) -> ToolError {
    switch self {
    case .file:
      .sentence("\(address) is not in the capture; accessoryctl sightings --all --capture lists what is", .no)
    case .hex, .lines:
      .sentence(
        "the lines have no address \(address); leave it out, and the only device of the lines is meant", .no)
    }
  }

  /// Whether it can be opened only once.
  var isStandardInput: Bool {
    switch self {
    case .file(let path): path == "-"
    case .hex(let words): words == ["-"]
    case .lines: false
    }
  }

  /// The same as something that can be opened several times, if it is hex.
  func read() throws(ToolError) -> CaptureInput {
    guard case .hex(let words) = self else { return self }
    let (text, path) = try Self.text(words)
    let hex: HexCapture
    do throws(HexLineError) { hex = try HexCapture(text) } catch {
      throw .sentence("\(path.map(quoted) ?? "--hex")\(error.sentence)", .dataError)
    }
    if hex.hasBareData {
      StandardError.say(
        "the lines have no address and no level; they are shown as those of \(HexCapture.address.text ?? "") at "
          + "\(HexCapture.level) dBm")
    }
    return .lines(hex)
  }

  func open() throws(ToolError) -> CaptureFile {
    switch self {
    case .file(let path): try CaptureFile(reading: path)
    case .hex: try read().open()
    case .lines(let hex): try CaptureFile(hex)
    }
  }

  /// The lines, and the file that they were read from, if it was one.
  private static func text(_ words: [String]) throws(ToolError) -> (text: String, path: String?) {
    // A word that is no hex may be the name of a file.
    guard words.count == 1, words[0] == "-" || !HexCapture.isHex(words[0]),
      !words[0].contains(where: \.isNewline)
    else { return (HexCapture.text(ofWords: words), nil) }
    let bytes: [UInt8]
    do throws(FileError) {
      bytes = try FileContents(reading: words[0], byteCountMax: hexBytesMax).bytes
    } catch {
      // Bytes have neither a point nor a slash.
      if case .system(let reason) = error, reason.isMissing, !words[0].contains(where: { "./".contains($0) })
      {
        return (words[0], nil)
      }
      throw .file(path: words[0], error)
    }
    if let sentence = ForeignCapture.sentence(ofHex: bytes, file: shown(words[0])) {
      throw .sentence("\(quoted(words[0])): \(sentence)", .dataError)
    }
    let text = String(decoding: bytes, as: UTF8.self)
    return (text.hasPrefix("\u{FEFF}") ? String(text.dropFirst()) : text, words[0] == "-" ? nil : words[0])
  }

  /// The device that is meant; without a name, the only one. A name is known only after the whole input was read.
  func address(
    of named: NamedDevice?, _ dataPath: @autoclosure () throws(ToolError) -> ManifestDataPath
  ) throws(ToolError) -> DeviceArgument {
    if case .address(let device) = named { return device }
    guard !isStandardInput else {
      throw .sentence("standard input is read only once: name the device by its address", .usage)
    }
    guard let named else { return try onlyDevice() }
    var replay = CaptureReplay(try dataPath())
    let ending = Result { () throws(ToolError) in try open().replay(&replay, until: nil) { _ in } }
    if case .failure(let error) = ending, replay.recordCount == 0 { throw error }
    return try named.address(among: replay.dataPath.devices.map(DeviceLine.init), of: self)
  }

  /// The device that sent every report.
  func onlyDevice() throws(ToolError) -> DeviceArgument {
    var addresses: [DeviceAddress] = []
    try open().decode { report in
      let address = report.header.address
      if address.type != .anonymous, !addresses.contains(address) { addresses.append(address) }
    }
    let texts = addresses.compactMap(\.text)
    guard let text = texts.first, let device = DeviceArgument(argument: text) else {
      throw .sentence("\(option) has no advertisement of a device", .no)
    }
    guard addresses.count == 1 else {
      let rest = texts.count > Self.listedMax ? " and \(texts.count - Self.listedMax) more" : ""
      throw .sentence(
        "\(option) has \(texts.count) devices; name one: \(texts.prefix(Self.listedMax).joined(separator: ", "))\(rest)",
        .usage)
    }
    return device
  }
}

extension HexLineError {
  fileprivate var sentence: String {
    switch self {
    case .empty:
      " has no hex digit; give the data of an advertisement, such as 02 01 06 03 03 AA FE, or an HCI packet, 04 3E …"
    case .wrongCharacter(let character, let line, let column):
      ", line \(line): \(quoted(String(character))) in column \(column) is no hex digit; write pairs of 0 to 9 and A to F, "
        + "with or without blanks, colons, commas and 0x"
    case .oddDigits(let count, let line):
      ", line \(line): it has \(count) digits, and a byte has two: see whether one is missing at an end, and write a 0 before "
        + "a single digit"
    case .tooLong(let count, let line):
      ", line \(line): it has \(count) bytes, and an advertisement at most \(HexCapture.advertisementBytesMax); give each "
        + "advertisement a line of its own"
    case .bytesAfterPacket(let count, let said, let line):
      ", line \(line): the packet says that it has \(said) bytes, and \(count) are there; give each packet a line of its own"
    case .packetTruncated(let count, let said, let line):
      ", line \(line): the packet says that it has \(said) bytes, and \(count) are there; copy the whole packet, or only the "
        + "data of the advertisement"
    }
  }
}
