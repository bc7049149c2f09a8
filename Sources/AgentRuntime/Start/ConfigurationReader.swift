// SPDX-License-Identifier: GPL-3.0-or-later

import Agent
import HCI
import LinuxSystem
import Manifest
import ManifestFormat

/// Reads the agent's configuration: the manifest, identity keys, the board's profile, accounts. The program reads it
/// once when it starts; the *disk* worker reads it for every reload.
struct ConfigurationReader: Sendable {
  let manifestPath: String
  /// The radio that the command line names.
  let radio: String?

  struct Result: Sendable {
    let configuration: AgentCore.Configuration
    let radioSource: String
    let warnings: [String]
  }

  func read() throws(StartError) -> Result {
    let file = try TrustedFile(.manifest, manifestPath)
    let (read, warnings) = try file.manifest()
    var manifest = read
    if let radio, let selection = RadioSelection(text: radio) {
      manifest.gateway.radio = selection
    } else {
      manifest.gateway.radio = manifest.gateway.radio.resolved(in: DurableFile.folder(of: manifestPath))
    }
    try requireTouchAccount(manifest.gateway)
    let identities = try manifest.gateway.identityKeys.map { path throws(StartError) in
      try TrustedFile(.identityKeys, path).identityKeys()
    }
    let search = BoardSearch(manifestPath: manifestPath)
    let board = try search.profile(named: manifest.gateway.board)
    var configuration = AgentCore.Configuration(
      manifest, identities: identities ?? [], board: board,
      usb: board.givesWayToUSB ? try search.find(BoardProfile.usbName) : nil,
      access: AccessList(manifest))
    configuration.manifestDigest = ManifestDigest.text(of: file.text)
    return Result(
      configuration: configuration, radioSource: radio ?? read.gateway.radio.text,
      warnings: warnings + [configuration.uncalibratedTouch].compactMap(\.self))
  }

  /// Refuses `on-touch` and `on-request` where the program would run under the agent's own account: it could change the registry and
  /// speak as an operator.
  private func requireTouchAccount(_ gateway: Gateway) throws(StartError) {
    guard let kind = SignalProgramKind.allCases.first(where: { gateway.programs[$0] != nil }),
      !ConfinedProgram.Account.unprivileged().isPossible
    else { return }
    throw .content(
      .manifest, path: manifestPath,
      lines: [
        "\(shown(manifestPath)): gateway.\(kind.rawValue): the agent cannot run the program as the user \"nobody\"; "
          + "copy touch.conf to the unit's folder of drop-ins, or start the agent as root, or remove \(kind.rawValue)"
      ], errorCount: 1)
  }
}

extension AgentCore.Configuration {
  /// A warning if items are set up by touch and the board is not calibrated.
  fileprivate var uncalibratedTouch: String? {
    guard !isAdapterCalibrated, manifest.items.contains(where: { $0.item.selection == .touch }) else {
      return nil
    }
    return
      "items are set up by touch, but this board is not calibrated: a touch may go unnoticed, and a device "
      + "farther away may count as touching; accessoryctl calibrate finds the rssi-offset for the board's profile"
  }
}

extension RadioSelection {
  /// The selection with its file's path relative to a folder.
  func resolved(in folder: String) -> RadioSelection {
    switch self {
    case .any, .index, .address: self
    case .btsnoop(let path): .btsnoop(Self.resolved(path, in: folder))
    case .h4(let path): .h4(Self.resolved(path, in: folder))
    }
  }

  /// Returns the path relative to `folder`, unless it is absolute.
  private static func resolved(_ path: String, in folder: String) -> String {
    path.hasPrefix("/") || folder == "." ? path : folder + "/" + path
  }
}

/// Searches for a board's profile, in this order: `board/` in the manifest's folder, which is
/// `/etc/accessoryd/board` on an installed gateway; `Board/` beside that folder, which is a checkout's;
/// `/usr/share/accessoryd/board`, which the package installs. The first `NAME.toml` counts.
struct BoardSearch {
  let folders: [String]

  init(manifestPath: String) {
    let folder = DurableFile.folder(of: manifestPath)
    folders = [folder + "/board", folder + "/../Board", "/usr/share/accessoryd/board"]
  }

  func profile(named name: String) throws(StartError) -> BoardProfile {
    if let profile = try find(name) { return profile }
    // The defaults need no file.
    guard name == BoardProfile.unmeasuredName else { throw .noBoard(name, searched: paths(of: name)) }
    return BoardProfile(name: name)
  }

  /// Returns the profile of this name; nil when no folder has it.
  func find(_ name: String) throws(StartError) -> BoardProfile? {
    for path in paths(of: name) {
      if let file = try TrustedFile.find(.board, path) { return try file.boardProfile() }
    }
    return nil
  }

  private func paths(of name: String) -> [String] { folders.map { "\($0)/\(name).toml" } }
}

/// A TOML file that only a trusted account can write, read into memory.
struct TrustedFile {
  /// The purpose of the file.
  enum Role: String, Sendable {
    case manifest
    case identityKeys = "identity keys"
    case board = "board profile"
  }

  let role: Role
  let path: String
  let text: [UInt8]

  /// Reads a file; nil if there is none. A file that other accounts may write is refused.
  static func find(_ role: Role, _ path: String) throws(StartError) -> TrustedFile? {
    do throws(StartError) { return try TrustedFile(role, path) } catch {
      if error.isMissingFile { return nil }
      throw error
    }
  }

  init(_ role: Role, _ path: String) throws(StartError) {
    (self.role, self.path) = (role, path)
    let contents: FileContents
    do throws(FileError) {
      contents = try FileContents(ofFile: path, byteCountMax: TomlDocument.byteCountMax)
    } catch {
      throw .file(role, path: path, error)
    }
    let protection = role == .identityKeys ? FileProtection.ownerReads : .ownerWrites
    let facts = FileFacts(mode: contents.mode, owner: contents.owner)
    if let error = protection.error(for: facts, owners: [0, ThisProcess.user]) {
      throw .protection(role, path: path, error)
    }
    text = contents.bytes
  }

  /// The manifest, and warnings as lines.
  func manifest() throws(StartError) -> (value: GatewayManifest, warnings: [String]) {
    let reading = ManifestReader.read(text: text, fileName: path, accounts: .system)
    return (try value(of: reading), lines(of: reading))
  }

  func identityKeys() throws(StartError) -> [IdentityKey] {
    try value(of: IdentityKeysReader.read(text: text, fileName: path))
  }

  func boardProfile() throws(StartError) -> BoardProfile {
    try value(of: BoardProfileReader.read(text: text, fileName: path))
  }

  private func value<Value>(of reading: Reading<Value>) throws(StartError) -> Value {
    if let value = reading.value { return value }
    let errorCount = reading.diagnostics.count { $0.severity == .error }
    throw .content(role, path: path, lines: lines(of: reading), errorCount: errorCount)
  }

  private func lines<Value>(of reading: Reading<Value>) -> [String] {
    reading.diagnostics.map { $0.line(inFile: shown(path)) }
  }
}

extension AccessList {
  /// Resolves the names of accounts; called only when a manifest is read. No client may act as an app or a bridge whose
  /// account does not exist, as a warning of the manifest says.
  init(_ manifest: GatewayManifest) {
    self.init(
      operatorUsers: [0, ThisProcess.user], operatorGroups: Set(Self.group(AccountDirectory.operatorGroup)),
      overflowUser: Self.overflowUser)
    appsWithSocket = Set(manifest.apps.filter(\.hasOwnSocket).map(\.name))
    for app in manifest.apps {
      guard case .known(let id) = AccountDirectory.system.lookUp(app.account) else { continue }
      if app.account.isUser {
        appsOfUser[id, default: []].insert(app.name)
      } else {
        appsOfGroup[id, default: []].insert(app.name)
      }
    }
    for bridge in manifest.bridges {
      guard case .known(let id) = AccountDirectory.system.lookUp(.user(bridge.user)) else { continue }
      bridgeOfUser[id] = bridge
    }
  }

  private static func group(_ name: String) -> [UInt32] {
    guard case .known(let id) = AccountDirectory.system.lookUp(.group(name)) else { return [] }
    return [id]
  }

  /// The user that the kernel reports for users without a number here; its default if the kernel does not say.
  private static var overflowUser: UInt32 {
    let file = try? FileContents(reading: "/proc/sys/kernel/overflowuid", byteCountMax: 64)
    let digits = (file?.bytes ?? []).prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    return UInt32(String(decoding: digits, as: UTF8.self)) ?? 65_534
  }
}
