// SPDX-License-Identifier: GPL-3.0-or-later

@testable import AppForms
@testable import AppFormsInSwift5
import AccessorySetupKit
import Testing

/// Apple's declarations, used as an app would. That the files compile, in both language modes, is most of the test.
@Suite struct DeclarationTests {
  @Test func `every declaration of the reference has a use, and its raw value`() {
    AppForms.useAllMembers()
    AppForms.useAllConformances()
    #expect(AppForms.declarationUseCount >= 256)
  }

  @Test func `the same holds in the Swift 5 mode`() {
    AppFormsInSwift5.useAllMembers()
    AppFormsInSwift5.useAllConformances()
    #expect(AppFormsInSwift5.declarationUseCount == AppForms.declarationUseCount)
  }

  @Test func `stand-ins have the names and values that apps expect`() {
    #expect(Set(AppForms.systemColors).count == 31)
    #expect(AppForms.images().count == 11)
    #expect(AppForms.advertisementKeys.count == 8)
    for (key, value) in AppForms.advertisementKeys { #expect(key == value) }
  }

  @Test func `an error bridges with its texts`() {
    let error = ASError(.unknown, userInfo: [NSLocalizedDescriptionKey: "text"])
    #expect(error.errorUserInfo[NSLocalizedDescriptionKey] as? String == "text")
    #expect(
      AppForms.explain(error) == "ASErrorDomain 1 1"
        && AppForms.explain(ASError(.invalidRequest)) == "invalid")
  }

  /// They are compiled; calling them needs an agent.
  @Test func `the forms of use have the types that apps rely on`() {
    let _: (ASAccessorySession, ASAccessory, ASDiscoveredAccessory) async throws -> Void = AppForms
      .callEverything
    let _: (ASAccessorySession, ASAccessory, [ASDiscoveredDisplayItem]) -> Void = AppForms.completeEverything
    let _: (ASAccessory) async throws -> Void = AppForms.useGateway
    let _: @MainActor (AppForms.MainActorForm) -> () async -> Void = AppForms.MainActorForm.showAndWait
    let items = AppForms.migrationItems(UUID())
    #expect(items.count == 2 && items[0] is ASMigrationDisplayItem)
    #expect(items[1].descriptor.supportedOptions == .bluetoothPairingLE)
    let types: [AnyObject.Type] = [AppForms.MethodReferenceForm.self, AppForms.AccessoryActor.self]
    #expect(types.count == 2)
    let session = AppForms.CountingSession()
    session.invalidate()
    #expect(session.count == 1)
  }

  // MARK: - What must not compile

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appendingPathComponent("Refused")

  /// What the compiler says about a file that imports the library from outside of the package.
  private static func diagnose(_ file: String) throws -> String {
    let products = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    let maps = ["CInterfaces", "CSocketWatch"].flatMap { module in
      ["-Xcc", "-fmodule-map-file=\(products.path)/\(module).build/module.modulemap"]
    }
    process.arguments =
      ["swiftc", "-typecheck", "-swift-version", "6", "-I", products.appendingPathComponent("Modules").path]
      + maps + [folder.appendingPathComponent(file).path]
    let output = Pipe()
    process.standardError = output
    process.standardOutput = output
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return text
  }

  @Test(arguments: ["make-accessory", "make-event", "set-state", "switch-without-default"])
  func `what iOS refuses is refused here`(_ name: String) throws {
    let text = try String(contentsOf: Self.folder.appendingPathComponent("\(name).swift"), encoding: .utf8)
    let expected = try #require(
      text.split(separator: "\n").first { $0.hasPrefix("// error: ") }?.dropFirst(3))
    #expect(try Self.diagnose("\(name).swift").contains(expected))
  }

  @Test func `the control compiles`() throws {
    #expect(try !Self.diagnose("accepted.swift").contains("error"))
  }
}
