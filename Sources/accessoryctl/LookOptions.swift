// SPDX-License-Identifier: GPL-3.0-or-later

import ArgumentParser
import HCI
import Manifest
import ToolText

/// How a command replays a capture: with which files of a gateway, and how long.
struct LookOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The manifest with the items to look for.", valueName: "file"), completion: .file())
  var manifest: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("Stop after this many seconds of the capture.", valueName: "n"),
    transform: SecondsArgument.init(parsing:))
  var seconds: SecondsArgument?

  @Option(
    help: ArgumentHelp(
      "Keys of devices that change their address (default: the manifest's; mode 0600).", valueName: "file"),
    completion: .file())
  var identityKeys: String?

  @Option(
    help: ArgumentHelp(
      "A board profile, for its RSSI offset and how much of the time it listens (default: the manifest's).",
      valueName: "file"),
    completion: .file())
  var board: String?

  /// The data path that the files describe. Without a manifest it has no items.
  func dataPath() throws(ToolError) -> ManifestDataPath {
    var manifest = GatewayManifest()
    if let path = self.manifest { manifest = try ConfigurationFile(reading: path).manifest() }
    let identities = try identities(manifest)
    guard let profile = try boardProfile(manifest) else {
      return ManifestDataPath(manifest, identities: identities)
    }
    return ManifestDataPath(
      manifest.paced(by: profile), identities: identities, adapterOffset: profile.rssiOffset ?? 0)
  }

  /// The option's profile; without the option, the one that the manifest names, where it can be read. Nil when the manifest
  /// names none: the default does not say which board listened.
  private func boardProfile(_ manifest: GatewayManifest) throws(ToolError) -> BoardProfile? {
    if let board { return try ConfigurationFile(reading: board).boardProfile() }
    let name = manifest.gateway.board
    guard let path = self.manifest, name != BoardProfile.unmeasuredName else { return nil }
    if let profile = BoardList.profile(named: name, manifestPath: path) { return profile }
    StandardError.say(
      "there is no profile of the manifest's board \(quoted(name)) here: silences are those of a radio that listens all "
        + "the time; name one with --board")
    return nil
  }

  /// The keys of the option's file; without the option, those that the manifest names, where they can be read.
  private func identities(_ manifest: GatewayManifest) throws(ToolError) -> [IdentityKey] {
    if let identityKeys { return try ConfigurationFile(reading: identityKeys).identityKeys() }
    guard let path = manifest.gateway.identityKeys else { return [] }
    do throws(ToolError) { return try ConfigurationFile(reading: path).identityKeys() } catch {
      if let sentence = error.sentence { StandardError.say(sentence) }
      StandardError.say(
        "the identity keys that the manifest names are left out; name others with --identity-keys")
      return []
    }
  }

  /// An option that was given, as the command line spells it.
  var givenOption: String? {
    if manifest != nil { return "--manifest" }
    if seconds != nil { return "--seconds" }
    if identityKeys != nil { return "--identity-keys" }
    return board == nil ? nil : "--board"
  }

  /// For commands that need items.
  func requireManifest(or otherCure: String = "") throws {
    if manifest == nil {
      throw ValidationError("--manifest is missing: name the manifest with the items to look for\(otherCure)")
    }
  }
}

/// A number of seconds, up to a year.
struct SecondsArgument {
  let instant: Instant

  init(parsing argument: String) throws {
    guard let seconds = Double(argument), seconds >= 0, seconds <= 31_536_000 else {
      throw ValidationError("it takes a positive number of seconds, at most 31536000 (a year)")
    }
    instant = Instant(microseconds: Int64(seconds * 1_000_000))
  }
}

/// The address of a device, of any type.
struct DeviceArgument: ExpressibleByArgument {
  /// The low 48 bits.
  let bits: UInt64
  let text: String
  /// As it was typed.
  let argument: String

  /// What finds a device that nothing else tells apart.
  static func cureByAddress(_ address: String) -> String {
    "an item finds it only by its address, if it keeps that: descriptor.bluetooth-address-prefix = \"\(address)\""
  }

  init?(argument: String) {
    // BlueZ's path of a device ends with dev_ and the address.
    let last = argument.split(separator: "/").last.flatMap { $0.hasPrefix("dev_") ? $0.dropFirst(4) : nil }
    guard let bits = AddressText.bitsInAnySpelling(last.map(String.init) ?? argument) else { return nil }
    self.bits = bits
    text = AddressText.text(of: bits)
    self.argument = argument
  }
}
