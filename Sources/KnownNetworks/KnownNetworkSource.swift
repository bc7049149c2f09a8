// SPDX-License-Identifier: GPL-3.0-or-later

public import LinuxSystem

/// Where the networks that this machine knows are read: the stores of NetworkManager, wpa_supplicant and iwd. Only root
/// may read them.
public struct KnownNetworkSource: Equatable, Sendable {
  /// A store that is there and could not be read.
  public struct Problem: Equatable, Sendable {
    public let path: String
    public let error: SystemError

    /// What is wrong, as a sentence.
    public var sentence: String { "\(path) cannot be read: \(error.reason)" }
  }

  /// What the stores hold.
  public struct Contents: Equatable, Sendable {
    /// In the order of their names, each once for each store.
    public var networks: [KnownNetwork] = []
    public var problems: [Problem] = []
  }

  /// A profile or a configuration is far below.
  private static let byteCountMax = 1 << 18
  private static let networkManagerFolders = [
    "/etc/NetworkManager/system-connections", "/run/NetworkManager/system-connections",
    "/usr/lib/NetworkManager/system-connections",
  ]
  private static let wpaSupplicantFolder = "/etc/wpa_supplicant"
  private static let iwdFolder = "/var/lib/iwd"

  /// What stands before the folders' paths: empty for this machine.
  public var root: String

  public init(root: String = "") { self.root = root }

  /// Reads the stores. One that is not there has nothing; one that cannot be read is a problem, and loses nothing else.
  public func read() -> Contents {
    var contents = Contents()
    for folder in Self.networkManagerFolders {
      for file in files(in: folder, &contents) where file.hasSuffix(".nmconnection") {
        if let bytes = bytes(of: "\(folder)/\(file)", &contents) {
          contents.add(NetworkManagerProfile.ssid(in: bytes), of: .networkManager)
        }
      }
    }
    for file in files(in: Self.wpaSupplicantFolder, &contents)
    where file.hasPrefix("wpa_supplicant") && file.hasSuffix(".conf") {
      guard let bytes = bytes(of: "\(Self.wpaSupplicantFolder)/\(file)", &contents) else { continue }
      for ssid in WPASupplicantFile.ssids(in: bytes) { contents.add(ssid, of: .wpaSupplicant) }
    }
    for file in files(in: Self.iwdFolder, &contents) {
      contents.add(HexadecimalName.ssid(ofIWDFile: file), of: .iwd)
    }
    contents.networks.sort { one, other in
      one.ssid == other.ssid
        ? one.store.rawValue < other.store.rawValue : one.ssid.lexicographicallyPrecedes(other.ssid)
    }
    return contents
  }

  private func files(in folder: String, _ contents: inout Contents) -> [String] {
    do throws(SystemError) { return try FolderContents.names(in: root + folder) } catch {
      if !error.isMissing { contents.problems.append(Problem(path: root + folder, error: error)) }
      return []
    }
  }

  private func bytes(of path: String, _ contents: inout Contents) -> [UInt8]? {
    do throws(FileError) {
      return try FileContents(ofFile: root + path, byteCountMax: Self.byteCountMax).bytes
    } catch {
      if case .system(let error) = error {
        contents.problems.append(Problem(path: root + path, error: error))
      }
      return nil
    }
  }
}

extension KnownNetworkSource.Contents {
  fileprivate mutating func add(_ ssid: [UInt8]?, of store: KnownNetwork.Store) {
    guard let network = ssid.flatMap({ KnownNetwork(ssid: $0, store: store) }),
      !networks.contains(network)
    else { return }
    networks.append(network)
  }
}
