// SPDX-License-Identifier: GPL-3.0-or-later

/// What an interface does not say about its Swift values.
enum WireNames {
  /// The value of a type, of an error, of the parameters of a method (`Open(`), or of its reply (`Status)`); any other type
  /// X of an interface is `XLine`. nil leaves it out.
  static let values: [String: String?] = [
    "Gateway.DeviceItem": "DeviceLine.Item", "Gateway.NetworkItem": "NetworkLine.Item",
    "Gateway.Problem": "StatusLine.Problem", "Gateway.Packet": "CaptureReply.Packet",
    "Gateway.History": "FoundHistory", "Gateway.Status)": "StatusLine", "Gateway.Reload)": "ReloadReply",
    "Gateway.ManifestRefused": "ManifestRefusedLine", "Gateway.Watch)": "WatchReply",
    "Session.CompareString": "DescriptorLine.CompareString", "Session.Accessory": "AppAccessoryLine",
    "Session.Event": "AppEventLine", "Session.Unknown": "SessionErrorLine",
    "Gateway.Capture)": "CaptureReply", "Gateway.Inspect)": "InspectReply",
    "Gateway.WatchReports)": "WatchReportsReply", "Gateway.RecentHistory)": "HistoryReply",
    // Read from an app's call with the error's path, or computed where the bytes of devices are known.
    "Session.Item": nil, "Session.Migration": nil, "Session.Settings": nil, "Session.DiscoveredItem": nil,
    "Session.Fields": nil, "Session.ManufacturerData": nil, "Session.ServiceData": nil,
    "Session.Structure": nil, "Session.Value": nil,
    "Operator.Item": "RequestItemLine", "Operator.Choose)": "SetupReply", "Operator.Open(": "OpenParameters",
    "Operator.ImportBond(": "ImportedBondLine", "Operator.Registry)": "RegistryLine",
  ]

  /// Types whose value another interface has.
  static let shared = ["Operator.Value": "ValueLine"]

  /// Enumerations that several values have, by their words; one without a point is in Values.
  static let enumerations = [
    "on off recovering absent": "RadioLine.State",
    "outside approaching inside leaving": "Presence",
    "open owe wep wpa wpa2 wpa3 enterprise other": "WirelessSecurity",
    "setup rename authorize migrate pair": "RequestKind",
    "none bonded lost": "BondState",
    "gateway bluetoothd": "BondOwner",
    "any justWorks authenticated": "RequestItemLine.Pairing",
    "compare enterDigits showDigits": "RequestLine.Pairing",
    "justWorks digitsEntered digitsShown digitsCompared": "PairingMethod",
    "found changed lost": "SightingEvent", "active orphaned suspended": "AccessoryStatus",
    "matched entered payload silence left noLongerMatches evicted radioDown reload": "SightingReason",
    "extensions nl80211": "NetworkSource",
    "accessories items everything": "ReportForward", "pick rename remove scan": "BridgePermission",
  ]

  /// Integers that are not `Int`; and strings that are keys or bytes in hex, beside those with these endings, or text of
  /// several lines that is printed as it is.
  static let forms = [
    "rssi": "Int8", "filteredRSSI": "Int8", "bluetoothRSSI": "Int8", "signal": "Int8", "pathLoss": "Int16",
    "samples": "UInt16", "diversifier": "UInt16", "bluetoothCompanyIdentifier": "UInt16",
    "sequence": "UInt64",
    "candidate": "UInt32", "skipped": "UInt32", "Device.reports": "UInt32", "discovered": "UInt32",
    "intervalMilliseconds": "UInt32", "rhythmMilliseconds": "UInt32", "frequency": "UInt32",
    "addedAt": "Int64",
    "LongTermKey.kind": "UInt8", "linkKey.kind": "UInt8", "byteCount": "UInt8", "pinByteCount": "UInt8",
    "itemIndex": "count",
    "data": "bytes", "packet": "bytes", "identityKey": "key", "random": "key", "value": "key",
    "toml": "plainText", "Operator.Accessory.identifier": "identifier",
    // A later agent may know other events.
    "Session.Event.event": "string",
  ]

  static let byteEndings = ["Data", "DataBlob", "DataMask", "BridgingIdentifier"]

  /// Names of networks, in which NUL is an ordinary byte.
  static let networkNames: Set = ["ssid", "network", "wanted"]

  /// What the absence of a member says; a value that equals it is left out.
  static let absences = [
    "skipped": "0", "lossesToOtherFrames": "0", "passed": "0", "turnedAway": "0", "tooSlow": "0",
    "isFoundByNetwork": "false", "isMigration": "false", "Open.usesTouch": "false",
    "takesFirstImmediate": "false", "longTermKeys": "[]", "values": "[]", "silent": "[]",
    "Candidate.apps": "[]", "compareOptions": "0", "bluetoothNameSubstringCompareOptions": "0",
    "bluetoothRange": "0", "supportedOptions": "0", "wifiAwareServiceRole": "10",
    // A line of `replay` has none.
    "Event.epoch": "\"\"",
  ]

  /// Types that never have a member that is null.
  static let compactTypes: Set = ["Gateway.Value"]

  /// Types whose initialiser has a default for what is false, zero and empty.
  static let emptyTypes: Set = ["Gateway.History", "Operator.Item", "Operator.Request"]

  /// Methods with one reply, whose members are all optional nevertheless.
  static let singleReplies: Set = ["Operator.Import", "Operator.Reset"]

  static let keywords: Set = ["default", "import", "operator", "public", "try"]
}
