// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

extension RegistryOpenError {
  /// What is wrong, without a full stop; follows the name of the file.
  public var reason: String {
    switch self {
    case .damaged(let damage): "is damaged: \(damage.reason)"
    case .otherApplication(let applicationID):
      "is another program's database (application id 0x\(String(applicationID, radix: 16)))"
    case .newer(let version, let known):
      "was written by a later accessoryd (version \(version); this one knows \(known))"
    case .exposed(.notAFile): "is not a file"
    case .exposed(.foreignOwner(let owner)): "belongs to user \(owner)"
    case .exposed(.othersRead(let permissions)), .exposed(.othersWrite(let permissions)):
      "is open to others (mode \(String(permissions, radix: 8)))"
    case .exposedFolder(.foreignOwner(let owner)): "lies in a folder of user \(owner)"
    case .exposedFolder(.othersRead(let permissions)), .exposedFolder(.othersWrite(let permissions)):
      "lies in a folder that others may write (mode \(String(permissions, radix: 8)))"
    case .exposedFolder(.notAFile): "lies in something that is not a folder"
    case .link: "is a symbolic link"
    case .folderLinkToNothing: "lies in a folder that is a symbolic link to nothing"
    case .failed(let failure): "cannot be opened: \(failure.reason)"
    }
  }

  /// What to do about it.
  public var cure: String {
    switch self {
    case .damaged:
      "run accessoryctl registry reset: it keeps the file under another name and creates a new one"
    case .otherApplication:
      "move the file away if it is not needed, or let accessoryd keep its registry elsewhere"
    case .newer: "install the later accessoryd again, or run accessoryctl registry reset"
    case .exposed: "make it a file of accessoryd's user with mode 600"
    case .exposedFolder: "make it a folder of accessoryd's user with mode 700, or name another with --state"
    case .link: "put the file itself there, or name its folder with --state (a folder may be a link)"
    case .folderLinkToNothing: "make the folder that the link names, or name another with --state"
    case .failed(let failure): failure.cure
    }
  }
}

extension RegistryFileError {
  fileprivate var reason: String {
    switch self {
    case .torn(let byteCount): "it ends after \(byteCount) bytes"
    case .noDatabase: "it does not begin with the header of a database"
    case .missingBesideLog: "it is missing, but the log of its latest changes is there"
    case .unreadable(let fault): fault.reason
    // SQLite quotes what it found: text of the file.
    case .inconsistent(let finding): finding.quotedForDisplay
    case .digest: "its rows are not those that accessoryd wrote"
    case .foreignTables: "its tables are not those of a registry"
    case .badValue(let table, let number?, let column): "\(table.rawValue) \(number) has an invalid \(column)"
    case .badValue(let table, nil, let column): "a row of \(table.rawValue) has an invalid \(column)"
    case .violation(let violation): violation.reason
    }
  }
}

extension RegistryConsistencyError {
  /// What is wrong, without a full stop.
  public var reason: String {
    switch self {
    case .invalid(let table, let number, let field):
      "\(table.rawValue) \(number) has an invalid \(field.rawValue)"
    case .repeatedNumber(let table, let number): "\(table.rawValue) \(number) occurs twice"
    case .tooMany(let table):
      "it has more rows of \(table.rawValue) than \(RegistryLimits.rowsMax(of: table))"
    case .missingDevice(let accessory): "the device of accessory \(accessory) is missing"
    case .unusedDevice(let number): "device \(number) has no accessory"
    case .repeatedIdentity(let device): "device \(device) occurs under another number too"
    case .repeatedAccessory(let number):
      "the app of accessory \(number) has another accessory on the same device"
    case .repeatedIdentifier(let accessory): "an identifier of accessory \(accessory) occurs twice"
    case .bluetoothDisagrees(let accessory): "accessory \(accessory) and its device differ about Bluetooth"
    case .networkDisagrees(let accessory): "accessory \(accessory) and its device differ about the network"
    case .missingAccount(let accessory): "the account of accessory \(accessory) is missing"
    case .unusedAccount(let number): "account \(number) has no accessories or occurs twice"
    case .repeatedTombstone(let number): "tombstone \(number) occurs twice"
    case .repeatedFormer(let number): "the identifier of former \(number) occurs twice"
    case .repeatedBondRemoval(let number):
      "the device of bondRemoval \(number) occurs twice, or has a bond of bluetoothd"
    }
  }
}

extension RegistryStoreError {
  /// What is wrong, without a full stop.
  public var reason: String {
    switch self {
    case .full: "no space is left for the registry"
    case .readOnly: "the registry's file or file system is read-only"
    case .locked: "another process has the registry open"
    case .noFolder: "there is no such folder"
    case .noPermission: "accessoryd's account may not use the folder"
    case .disk(let fault), .unexpected(let fault): "\(fault.reason) (SQLite \(fault.code))"
    case .system(let fault, let call): "\(call): \(fault.reason)"
    case .logRemains(let fault):
      "the change is in the log, which could not be written into the file: \(fault.reason) (SQLite \(fault.code))"
    case .memory: "there is not enough memory"
    case .closed: "the registry is not open"
    case .tooManyKept(let count): "\(count) registries are kept already"
    }
  }

  /// What to do about it.
  public var cure: String {
    switch self {
    case .full: "free some space"
    case .readOnly: "mount the file system for writing"
    case .locked: "end the other process: only one accessoryd may run"
    case .noFolder: "make the folder, or start accessoryd with another --state"
    case .noPermission: "give the folder to accessoryd's account, or name another with --state"
    case .disk, .system, .logRemains: "look at the system's log for errors of the disk"
    case .unexpected: "please report it"
    case .memory: "free some memory"
    case .closed: "accessoryctl status says why"
    case .tooManyKept: "remove those that are not needed"
    }
  }
}
