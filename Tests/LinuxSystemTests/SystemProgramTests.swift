// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import LinuxSystem
import Testing
import ToolSystem

@Suite("Programs of the system")
struct SystemProgramTests {
  @Test("A program is found through PATH, and its status or signal is returned")
  func endings() throws {
    #expect(try SystemProgram.run(["true"]).isSuccess)
    #expect(try SystemProgram.run(["sh", "-c", "exit 7"]) == .exited(status: 7))
    #expect(try SystemProgram.run(["sh", "-c", "kill -TERM $$"]) == .killed(signal: SIGTERM))
  }

  @Test("A program has its arguments as they are, and the usual signals")
  func arguments() throws {
    #expect(try SystemProgram.run(["sh", "-c", #"[ "$1" = "a  b" ] && [ $# = 1 ]"#, "sh", "a  b"]).isSuccess)
    // Bit 12 of the mask is SIGPIPE's.
    let isDefault = "grep -q '^SigIgn:.*[02468ace]...$' /proc/self/status"
    #expect(try SystemProgram.run(["sh", "-c", isDefault]).isSuccess)
  }

  @Test("What a program writes is returned, with its ending")
  func output() throws {
    let (ending, bytes) = try SystemProgram.output(of: ["sh", "-c", "echo one; echo two >&2; exit 3"])
    #expect(ending == .exited(status: 3) && bytes == Array("one\n".utf8))
  }

  @Test("A program that is not there is an error")
  func missing() {
    let error = #expect(throws: SystemError.self) { _ = try SystemProgram.run(["no-such-program"]) }
    #expect(error?.isMissing == true)
  }

  @Test("Members of a group are those that its entry lists")
  func members() throws {
    let lines = try String(contentsOfFile: "/etc/group", encoding: .utf8).split(separator: "\n")
    for line in lines {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard fields.count == 4 else { continue }
      for member in fields[3].split(separator: ",") {
        #expect(Accounts.isMember(String(member), ofGroup: fields[0]))
      }
      #expect(!Accounts.isMember("no-such-user", ofGroup: fields[0]))
    }
    #expect(!Accounts.isMember("root", ofGroup: "no-such-group"))
    #expect(Accounts.belongs("root", toGroup: "root") && !Accounts.belongs("root", toGroup: "no-such-group"))
    #expect(Accounts.belongs("daemon", toGroup: "daemon") && !Accounts.belongs("daemon", toGroup: "root"))
    #expect(!Accounts.belongs("no-such-user", toGroup: "root"))
  }

  @Test("A file is created that any account may read, and never over another one")
  func creation() throws {
    let path = NSTemporaryDirectory() + "created-\(UUID().uuidString.prefix(8))"
    defer { try? FileManager.default.removeItem(atPath: path) }
    try FileReplacement.check(path)
    let missing = #expect(throws: SystemError.self) { try FileReplacement.check(path + "/a") }
    #expect(missing?.isMissing == true && FileName.content(of: path) == .nothing)
    try FileReplacement.create(Array("a".utf8), at: path)
    #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o644)
    let error = #expect(throws: SystemError.self) { try FileReplacement.create([], at: path) }
    #expect(error?.isExisting == true)
    try FileReplacement.check(path)
    try FileManager.default.setAttributes([.posixPermissions: 0o400], ofItemAtPath: path)
    let readOnly = #expect(throws: SystemError.self) { try FileReplacement.check(path) }
    #expect(readOnly?.isPermission == true)
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "a")
  }
}
