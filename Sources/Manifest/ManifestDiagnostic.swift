// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI

/// A rule that a manifest breaks, or a setting that probably does not do what was meant, and where it is.
public struct ManifestDiagnostic: Equatable, Sendable {
  public let path: ManifestKeyPath
  public let kind: Kind

  public init(path: ManifestKeyPath, kind: Kind) { (self.path, self.kind) = (path, kind) }

  /// A rule, with what is wrong and how to correct it. The rows below and `FormatDiagnostic` hold every sentence.
  public struct Kind: Equatable, Sendable {
    /// Whether the manifest is refused because of it.
    public let isError: Bool
    public let sentence: String
    /// The rule in the words of a call that has the descriptor; nil for rules of items and of the manifest around them,
    /// and for warnings.
    public let inCall: InCall?

    private init(isError: Bool, _ sentence: String, _ inCall: InCall? = nil) {
      (self.isError, self.sentence, self.inCall) = (isError, sentence, inCall)
    }
  }

  public struct InCall: Equatable, Sendable {
    public let reason: String
    public let cure: String

    init(_ reason: String, cure: String) { (self.reason, self.cure) = (reason, cure) }
  }
}

// MARK: - Combinations of clauses that a descriptor may not have

extension ManifestDiagnostic.Kind {
  /// A rule that reads the same for a manifest and a call, apart from the names of the keys.
  private static func clauses(
    _ sentence: (_ name: (DescriptorKey) -> String) -> (reason: String, cure: String)
  ) -> Self {
    let (written, called) = (sentence(\.rawValue), sentence(\.field))
    return Self(
      isError: true, "\(written.reason); \(written.cure)", .init(called.reason, cure: called.cure))
  }

  public static let nothingToLookFor = clauses { name in
    let keys = [DescriptorKey.companyIdentifier, .serviceUUID, .ssid].map(name).joined(separator: ", ")
    return ("nothing says what to look for", "add \(keys) or \(name(.ssidPrefix))")
  }
  /// Only items whose accessories an operator chooses, or that are only observed, may have a name alone. This one has
  /// another selection, or is no item of the manifest (nil).
  public static func nameAlone(_ selection: DisplayItem.Selection?) -> Self {
    keyMissing("a name alone matches unknown devices too", selection)
  }
  /// As for a name.
  public static func addressAlone(_ selection: DisplayItem.Selection?) -> Self {
    keyMissing("an address says nothing about a device's kind", selection)
  }
  private static func keyMissing(_ reason: String, _ selection: DisplayItem.Selection?) -> Self {
    let remedy = selection == nil ? "" : ", or use select = \"operator\""
    return clauses { (reason, "add \($0(.companyIdentifier)) or \($0(.serviceUUID))\(remedy)") }
  }
  public static let manufacturerDataWithoutCompanyIdentifier = clauses {
    ("manufacturer data follows a company identifier", "add \($0(.companyIdentifier))")
  }
  public static let serviceDataWithoutServiceUUID = clauses {
    ("service data follows a service UUID", "add \($0(.serviceUUID))")
  }
  public static let compareOptionsWithoutName = Self(
    isError: true, "there is no name to compare; add bluetooth-name-substring or remove the options",
    .init("there is no name to compare", cure: "add bluetoothNameSubstring, or leave the options out"))
  public static let bothNetworkNames = clauses {
    ("ssid and \($0(.ssidPrefix)) exclude each other", "keep one of them")
  }
  public static func needBluetooth(_ key: DescriptorKey) -> Self {
    Self(
      isError: true,
      "\(key.rawValue) says something about Bluetooth and the descriptor has no Bluetooth clause; remove it or add one",
      .init(
        "\(key.field) is about Bluetooth, and the descriptor has no Bluetooth clause",
        cure: "leave it out, or add a clause"))
  }
  public static func notForAlternate(_ key: DescriptorKey) -> Self {
    let reason = "a second identity is only recognised on the air"
    return Self(
      isError: true, "\(reason); \(key.rawValue) belongs to descriptor: remove it here",
      .init(reason, cure: "leave \(key.field) out"))
  }

  /// `kind` is said in a call only, before the value.
  private static func undeclared(
    _ kind: String, _ value: String, add: String = "it", to key: String
  ) -> Self {
    let cure = "add \(add) to the app's \(key)"
    return Self(
      isError: true, "the app does not declare \(value); \(cure)",
      .init("the app does not declare \(kind)\(value)", cure: "\(cure) in the manifest"))
  }

  public static func undeclared(company: UInt16) -> Self {
    undeclared("the company ", Hex.company(company), to: "bluetooth-company-identifiers")
  }
  public static func undeclared(service: BluetoothUUID) -> Self {
    undeclared("the service ", IdentifierText.text(of: service), to: "bluetooth-services")
  }
  public static func undeclared(name: String) -> Self {
    undeclared("the name ", "\(name.quotedForDisplay) exactly", to: "bluetooth-names")
  }
  public static func undeclared(_ technology: App.Technology) -> Self {
    undeclared("", technology.rawValue, add: "\"\(technology.rawValue)\"", to: "supports")
  }

  private static func error(_ sentence: String) -> Self { Self(isError: true, sentence) }

  public static func weakForSelection(_ selection: DisplayItem.Selection) -> Self {
    error(
      "no operator confirms what \"\(selection.rawValue)\" sets up: add a blob with at least 16 mask bits or "
        + "bluetooth-name-substring, or use select = \"operator\"")
  }
  public static let touchWithoutImmediateRange = error(
    "a touch is seen by the immediate gate; add bluetooth-range = \"immediate\" to the descriptor")
  public static let touchOfNetwork = error(
    "a network is never held at the gateway, so that no touch chooses it; use select = \"operator\"")
  public static let automaticByPrefix = error(
    "every access point can take a name that begins like this; use ssid with the whole name, or select = \"operator\""
  )
  public static let pairingWithoutOption = error(
    "the item's devices are not paired; add \"bluetoothPairingLE\" to supported-options, or remove pairing")
  public static func pairingWithoutPerson(_ selection: DisplayItem.Selection) -> Self {
    error(
      "no person compares or types digits when \"\(selection.rawValue)\" sets a device up: use "
        + "pairing = \"just-works\", or select = \"operator\"")
  }
  public static func repeatedItem(id: String, first: ManifestKeyPath) -> Self {
    error("the id \"\(id)\" is that of \(first) too; grants key on it: give each item its own id")
  }

  /// The account that the kernel shows in place of every user that it cannot name.
  public static func overflowAccount(_ account: App.Account, of role: String) -> Self {
    error(
      "\(account.name.quotedForDisplay) is the kernel's name for unknown users, and is always refused; "
        + "give the \(role) a user of its own")
  }
  public static func repeatedUser(of bridge: ManifestKeyPath) -> Self {
    error(
      "this is the user of \(bridge) too, and an account is one bridge; give each bridge a user of its own")
  }

  /// A number that the value of another key rules out; `key` is the other key.
  public static func below(_ key: some ManifestKey, _ value: some BinaryInteger, least: some BinaryInteger)
    -> Self
  {
    error("\(value) is less than \(key.rawValue) (\(least)); use \(least) or more, or lower \(key.rawValue)")
  }
  public static func above(_ key: some ManifestKey, _ value: some BinaryInteger, most: some BinaryInteger)
    -> Self
  {
    error(
      "\(value) is too much for \(key.rawValue), which allows \(most); lower this or raise \(key.rawValue)")
  }

  private static func warning(_ sentence: String) -> Self { Self(isError: false, sentence) }

  public static func unknownAccount(_ account: App.Account, of role: String) -> Self {
    warning(
      "this system has no \(account.isUser ? "user" : "group") \(account.name.quotedForDisplay), so no account can act "
        + "as the \(role); create it or correct the name")
  }
  public static func seesEverything(ofEveryApp: Bool) -> Self {
    warning(
      "the bridge sees every device in reach, also those that belong to no app"
        + (ofEveryApp ? ", and everything of every app" : "")
        + "; use \"items\" or \"accessories\" unless that is meant")
  }
  public static func bridgeOfOperator(user: String) -> Self {
    warning(
      "\(user.quotedForDisplay) is an operator, so this section keeps nothing from the bridge; give the bridge a user of its "
        + "own that is not in the group \(AccountDirectory.operatorGroup)")
  }
  public static func seesNothing(ofEveryApp: Bool) -> Self {
    warning(
      "the bridge sees nothing, because "
        + (ofEveryApp
          ? "no app of the manifest has an item; add one to an app"
          : "none of its apps has an item; add one, or name other apps"))
  }
  public static func broad(_ key: DescriptorKey) -> Self {
    let word = key == .serviceUUID ? "service" : "company"
    return warning("broad: everything with this \(word) matches; add a blob or a name")
  }
  /// What a name without a company or service costs; `isIndexed` for one that is looked up instead of searched.
  public static func costOfName(isIndexed: Bool) -> Self {
    warning(
      "a name alone: any device may call itself so, and "
        + (isIndexed
          ? "every name in sight is looked up once for each length of such names"
          : "every name in sight is compared with it; bluetooth-name-prefix costs less"))
  }
  /// What the prefix of an address without a company or service costs.
  public static let costOfAddress = warning(
    "an address alone: it says nothing about a device's kind, and every new payload in sight costs a lookup "
      + "for each length of such prefixes")
  /// The devices send only on an event, and the board listens part of the time.
  public static func missesEvents(listeningPercent percent: Int) -> Self {
    warning(BoardProfile.costOfEvents(listeningPercent: percent))
  }
  /// The devices send only on an event, and the item does not wait for the next.
  public static func losesBetweenEvents(_ key: GateKey) -> Self {
    warning(
      key == .lostMax
        ? "its devices send only when pressed, and are lost after this silence; leave it out, or raise it to an hour "
          + "(3600000) or more"
        : "its devices send only when pressed, and an item of the immediate range loses them after this silence; "
          + "raise it and gate.silence-max-ms to an hour (3600000), or use the default range with gate.lost-ms"
    )
  }
  /// The item waits for devices that sleep between bursts, and lets in only those whose bursts are as long.
  public static func lastsLongerThanBursts(milliseconds: some BinaryInteger) -> Self {
    warning(
      "gate.silence-ms is for devices that sleep between bursts, and one whose bursts are shorter than these "
        + "\(milliseconds) ms is never let in; lower it if they are")
  }
  public static let maskComparesNothing = warning(
    "the mask has no bit set, so that only the length is compared; set some")
  public static func blobNeverFits(byteCount: Int, byteCountMax most: Int) -> Self {
    warning(
      "never matches: the blob has \(byteCount) bytes and an advertisement holds \(most) there; shorten it")
  }
  public static func nameNeverFits(byteCount: Int, byteCountMax most: Int) -> Self {
    warning("never matches: the name has \(byteCount) bytes and a device's name at most \(most); shorten it")
  }
  public static let blobBeginsWithItsKey = warning(
    "the blob begins with the key's own bytes, which stand before the data and are not part of it; remove them"
  )
  /// A star, which stands for itself; `key` is what finds every name that begins with the text before it.
  public static func star(isAtEnd: Bool, key: DescriptorKey) -> Self {
    warning(
      "the star is a character of the name, and stands for no other text; \(isAtEnd ? "leave it out" : "end before it"): "
        + "\(key.rawValue) finds every name that begins so")
  }
  /// A network's name as text that may have been escaped.
  public static func backslashInSSID(_ key: DescriptorKey) -> Self {
    warning(
      "the backslash is a character of the network's name; if it is an escape, as in \\xE9, write the name's bytes in "
        + key.rawValue)
  }
  public static let hiddenNetwork = warning(
    "never matches: a name of NULs alone stands for every network that hides its name; write the network's own name"
  )
  public static let wifiInterfaceMissing = warning(Gateway.reasonNoNetworkMatches)
  public static let onlyWiFiAware = warning(WiFiAwareService.reasonNothingIsFound)
  public static let nameWithPassiveScan = warning(
    "may never match: many devices send their name only when asked; use scan = \"auto\" in [gateway]")
  public static func overlap(_ overlap: DescriptorOverlap, app: String, id: String) -> Self {
    let other = "\(app)/\(id)"
    return switch overlap {
    case .someDevices:
      warning(
        "a device can match this item and \(other); add a blob, a mask bit or a name that distinguishes them")
    case .firstCoversSecond:
      warning("whatever matches \(other) matches this item too; narrow this item's descriptor")
    case .secondCoversFirst:
      warning("whatever matches this item matches \(other) too; narrow that item's descriptor")
    }
  }
  public static let pairingInExclusiveAccess = warning(
    "never set up: with access = \"exclusive\" no device is paired; use access = \"shared\"")

  private static func noEffect(_ words: String) -> Self { warning("no effect: \(words)") }

  public static let wifiInterfaceUnused = noEffect(
    "no app looks for networks; remove it, or add \"WiFi\" to an app's supports")
  public static func optionWithoutPairing(_ option: String) -> Self {
    noEffect("\(option) takes effect in a pairing; add \"bluetoothPairingLE\", or remove it")
  }
  public static let observed = noEffect(
    "the item is only observed and never set up; remove it or change select")
  public static let notImmediate = noEffect(
    "the default range has no gate; add bluetooth-range = \"immediate\" to the descriptor")
  public static let immediate = noEffect("an immediate item is lost by leave-… and silence-ms; remove it")
  public static let txPowerGiven = noEffect(
    "tx-power is given, so that path losses decide; use enter- and leave-path-loss")
  public static let txPowerMissing = noEffect(
    "path losses decide only with tx-power; add tx-power to the item")
  public static let noRename = noEffect("nothing is renamed; add \"rename\" to setup-options")
  public static let noSSID = noEffect(
    "only a network that is looked for by ssid-prefix is renamed; remove the option or add that")
  public static let networkFound = warning(
    "no effect at setup: the app needs the network's name as it is on the air, to join it; remove the option")
  public static let notAnchored = noEffect(
    "\"backwards\" finds a name's end only together with \"anchored\"; add it")
}
