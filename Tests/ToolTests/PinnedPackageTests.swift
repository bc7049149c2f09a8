// SPDX-License-Identifier: GPL-3.0-or-later

import Foundation
import Testing

@Suite("The check of the pinned Swift package")
struct PinnedPackageTests {
  @Test("The package of this build is the reviewed one; another commit and changed files are refused")
  func commit() throws {
    let folder = try TemporaryFolder()
    let scratch = folder.path
    let checkout = scratch + "/checkouts/swift-argument-parser"
    try FileManager.default.createDirectory(
      atPath: scratch + "/checkouts", withIntermediateDirectories: true)
    let built = Package.path(".build/checkouts/swift-argument-parser")
    try #require(try Tool.spawn("/usr/bin/git", ["clone", "-q", built, checkout]).status == 0)
    let script = Package.path("Scripts/steps/pinned")
    #expect(try Tool.spawn(script, [scratch]).status == 0)
    try Data("changed".utf8).write(to: URL(fileURLWithPath: checkout + "/Package.swift"))
    let changed = try Tool.spawn(script, [scratch])
    #expect(changed.status == 65 && changed.errorOutput.contains("Package.swift"), "\(changed.errorOutput)")
    let author = ["-c", "user.name=n", "-c", "user.email=e"]
    try #require(
      try Tool.spawn("/usr/bin/git", ["-C", checkout] + author + ["commit", "-qam", "another"]).status == 0)
    let moved = try Tool.spawn(script, [scratch])
    #expect(moved.status == 65 && moved.errorOutput.contains("was reviewed"), "\(moved.errorOutput)")
  }
}
