// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

/// What the privileged one-shot does, in a tree of files that stands for sysfs, with an rfkill that writes its words
/// down.
@Suite("The recovery unit's script")
struct RecoveryScriptTests {
  private static let profile = """
    schema = 1
    name = "b"
    [[recovery]]
    step = "reset"
    [[recovery]]
      step = "rebind"   # a remark with "quotes"
    driver = "hci_uart_bcm"
    device = "serial0-0"
    """

  private let folder: TemporaryFolder
  private let request: String

  init() throws {
    folder = try TemporaryFolder()
    request = folder.path + "/recovery-request"
    try make(
      "sys/bus/serial/devices/serial0-0", "sys/bus/serial/drivers/hci_uart_bcm/bind",
      "sys/bus/serial/drivers/hci_uart_bcm/unbind", "sys/bus/usb/drivers/usb/bind",
      "sys/bus/usb/drivers/usb/unbind", "sys/bus/usb/devices/usb1", "profile/b.toml", "bin/rfkill")
    for (device, bytes) in [("1-1.2:1.0", "e00101"), ("1-1.2:1.1", "e00101"), ("1-1.3:1.0", "030101")] {
      let values = Array(bytes).chunked
      for (key, value) in zip(["Class", "SubClass", "Protocol"], values) {
        try write("sys/bus/usb/devices/\(device)/bInterface\(key)", value + "\n")
      }
    }
    try write("bin/rfkill", "#!/bin/sh\necho \"$@\" >>\"${0%/*}/../rfkill\"\n")
    try permit("bin/rfkill", 0o755)
    try permit("profile", 0o755)
    try write("recovery-request", "")
  }

  private func make(_ paths: String...) throws { for path in paths { try write(path, "") } }

  private func write(_ path: String, _ text: String) throws {
    let file = URL(fileURLWithPath: folder.path + "/" + path)
    try FileManager.default.createDirectory(
      at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file)
  }

  private func permit(_ path: String, _ mode: Int) throws {
    try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: folder.path + "/" + path)
  }

  private func content(_ path: String) -> String? {
    try? String(contentsOfFile: folder.path + "/" + path, encoding: .utf8)
  }

  private var isRequested: Bool {
    (try? FileManager.default.attributesOfItem(atPath: request)) != nil
  }

  private func recover(_ profile: String) throws -> Tool.Run {
    try write("profile/b.toml", profile)
    try permit("profile/b.toml", 0o644)
    return try recover()
  }

  private func recover() throws -> Tool.Run {
    try Tool.shell(
      #"PATH="$1/bin:$PATH" ACCESSORYD_SYSFS="$1/sys" ACCESSORYD_PAUSE=0 exec "$2" "$3" "$1/profile/b.toml""#,
      folder.path, Package.path("Board/accessoryd-recover"), request)
  }

  /// That the driver and the ports are as they were.
  private var isUntouched: Bool {
    ["serial/drivers/hci_uart_bcm", "usb/drivers/usb"].allSatisfy {
      content("sys/bus/\($0)/unbind") == "" && content("sys/bus/\($0)/bind") == ""
    } && content("rfkill") == nil
  }

  @Test("A driver is taken off its device and put on again, and the request is gone")
  func rebind() throws {
    let run = try recover(Self.profile)
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(content("sys/bus/serial/drivers/hci_uart_bcm/unbind") == "serial0-0")
    #expect(content("sys/bus/serial/drivers/hci_uart_bcm/bind") == "serial0-0")
    #expect(!isRequested && content("rfkill") == nil)
  }

  @Test("Of the USB devices only Bluetooth adapters are reset, each once")
  func usb() throws {
    let run = try recover("[[recovery]]\nstep = \"usb-reset\"\n")
    #expect(run.status == 0, "\(run.errorOutput)")
    #expect(content("sys/bus/usb/drivers/usb/unbind") == "1-1.2")
    #expect(content("sys/bus/usb/drivers/usb/bind") == "1-1.2")
    #expect(run.errorOutput.count { $0 == "\n" } == 1 && !isRequested)
  }

  @Test("Bluetooth is blocked and unblocked")
  func rfkill() throws {
    #expect(try recover("[[recovery]]\nstep = \"rfkill\"\n[scan]\nlow = {}\n").status == 0)
    #expect(content("rfkill") == "block bluetooth\nunblock bluetooth\n" && !isRequested)
  }

  @Test("A step that fails is reported, and the next one is tried")
  func nextStep() throws {
    let steps = Self.profile.replacing("serial0-0", with: "serial9-0") + "\n[[recovery]]\nstep = \"rfkill\""
    let run = try recover(steps)
    #expect(run.status == 0 && run.errorOutput.contains("there is no device serial9-0"))
    #expect(content("rfkill") == "block bluetooth\nunblock bluetooth\n" && !isRequested)
  }

  @Test(
    "A profile with nothing to do, or nonsense, does nothing",
    arguments: [
      ("[[recovery]]\nstep = \"power\"\n", 69), ("", 69), ("step = \"rfkill\"\n", 69),
      ("# [[recovery]]\n# step = \"rfkill\"\n", 69), ("[[recovery]]\nstep = \"reboot\"\n", 65),
      (Self.profile.replacing("serial0-0", with: "../../x"), 65),
      (Self.profile.replacing("serial0-0", with: "serial9-0"), 69),
      (Self.profile.replacing("hci_uart_bcm", with: "a b"), 65),
      (Self.profile.replacing("hci_uart_bcm", with: ".."), 65),
    ] as [(String, Int32)])
  func nothing(profile: String, status: Int32) throws {
    let run = try recover(profile)
    #expect(run.status == status && run.errorOutput.hasPrefix("accessoryd-recover: "), "\(run.errorOutput)")
    #expect(isUntouched && !isRequested)
  }

  @Test("A request that says something is refused and removed", arguments: ["step = \"rfkill\"\n", nil])
  func fullRequest(text: String?) throws {
    try FileManager.default.removeItem(atPath: request)
    if let text {
      try write("recovery-request", text)
    } else {
      // A link to an empty file is none either.
      try FileManager.default.createSymbolicLink(
        atPath: request, withDestinationPath: folder.path + "/sys/bus/usb/devices/usb1")
    }
    #expect(try recover(Self.profile).status == 65)
    #expect(isUntouched && !isRequested && content("sys/bus/usb/devices/usb1") == "")
  }

  @Test("Without a request the script does nothing")
  func noRequest() throws {
    try FileManager.default.removeItem(atPath: request)
    #expect(try recover(Self.profile).status == 0)
    #expect(isUntouched)
  }

  @Test(
    "A profile that others may write, or whose folder they may, is not relied on", arguments: [true, false])
  func othersWrite(isFolder: Bool) throws {
    try write("profile/b.toml", Self.profile)
    try permit("profile/b.toml", isFolder ? 0o644 : 0o664)
    try permit("profile", isFolder ? 0o757 : 0o755)
    let run = try recover()
    #expect(run.status == 77 && run.errorOutput.contains("must belong to root"))
    #expect(isUntouched && !isRequested)
  }
}

extension [Character] {
  /// In twos.
  fileprivate var chunked: [String] {
    stride(from: 0, to: count, by: 2).map { String(self[$0..<Swift.min($0 + 2, count)]) }
  }
}
