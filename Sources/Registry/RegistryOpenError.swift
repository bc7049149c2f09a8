// SPDX-License-Identifier: GPL-3.0-or-later

public import Manifest

/// Why there is no registry to work with. What is on disk stays as it is.
public enum RegistryOpenError: Error, Equatable, Sendable {
  case damaged(RegistryFileError)
  /// The file is another program's database.
  case foreign(applicationID: UInt32)
  /// A later version of this program wrote it.
  case newer(version: Int64, known: Int64)
  /// Others may touch it, or it is no file.
  case exposed(FileProtectionError)
  case failed(RegistryStoreError)
}
