// SPDX-License-Identifier: GPL-3.0-or-later

import HCI
import Manifest

extension ManifestDiagnostic.Kind {
  /// What is wrong with the meaning, and how to correct it. This file and `FormatSentences` hold every sentence.
  var sentence: String {
    switch self {
    case .clauses(let finding): finding.sentence
    case .setup(let finding): finding.sentence
    case .undeclared(let finding): finding.sentence
    case .contradiction(let finding): finding.sentence
    case .overflowAccount(let account):
      "\(account.name.quotedForDisplay) is the kernel's name for unknown users, and is always refused; "
        + "give the app a user of its own"
    case .warning(let warning): warning.sentence
    }
  }
}

extension ManifestDiagnostic.Clauses {
  fileprivate var sentence: String {
    switch self {
    case .none:
      "nothing says what to look for; add bluetooth-company-identifier, bluetooth-service-uuid, ssid or ssid-prefix"
    case .nameAlone(let selection):
      "a name alone matches unknown devices too; \(Self.cure(forNoKey: selection))"
    case .addressAlone(let selection):
      "an address says nothing about a device's kind; \(Self.cure(forNoKey: selection))"
    case .manufacturerDataWithoutCompanyIdentifier:
      "manufacturer data follows a company identifier; add bluetooth-company-identifier"
    case .serviceDataWithoutServiceUUID: "service data follows a service UUID; add bluetooth-service-uuid"
    case .compareOptionsWithoutName:
      "there is no name to compare; add bluetooth-name-substring or remove the options"
    case .bothNetworkNames: "ssid and ssid-prefix exclude each other; keep one of them"
    case .needBluetooth(let key):
      "\(key.rawValue) says something about Bluetooth and the descriptor has no Bluetooth clause; remove it or add one"
    case .notForAlternate(let key):
      "a second identity is only recognised on the air; \(key.rawValue) belongs to descriptor: remove it here"
    }
  }

  private static func cure(forNoKey selection: DisplayItem.Selection?) -> String {
    "add bluetooth-company-identifier or bluetooth-service-uuid"
      + (selection == nil ? "" : ", or use select = \"operator\"")
  }
}

extension ManifestDiagnostic.Setup {
  fileprivate var sentence: String {
    switch self {
    case .weakForSelection(let selection):
      "no operator confirms what \"\(selection.rawValue)\" sets up: add a blob with at least 16 mask bits or "
        + "bluetooth-name-substring, or use select = \"operator\""
    case .touchWithoutImmediateRange:
      "a touch is seen by the immediate gate; add bluetooth-range = \"immediate\" to the descriptor"
    case .touchOfNetwork:
      "a network is never held at the gateway, so that no touch chooses it; use select = \"operator\""
    case .automaticByPrefix:
      "every access point can take a name that begins like this; use ssid with the whole name, or "
        + "select = \"operator\""
    case .pairingWithoutOption:
      "the item's devices are not paired; add \"bluetoothPairingLE\" to supported-options, or remove pairing"
    case .pairingWithoutPerson(let selection):
      "no person compares or types digits when \"\(selection.rawValue)\" sets a device up: use "
        + "pairing = \"just-works\", or select = \"operator\""
    case .repeatedItem(let id, let first):
      "the id \"\(id)\" is that of \(first) too; grants key on it: give each item its own id"
    }
  }
}

extension ManifestDiagnostic.Declaration {
  fileprivate var sentence: String {
    switch self {
    case .companyIdentifier(let value):
      "the app does not declare \(Hex.company(value)); add it to the app's bluetooth-company-identifiers"
    case .service(let uuid):
      "the app does not declare \(IdentifierText.text(of: uuid)); add it to the app's bluetooth-services"
    case .name(let name):
      "the app does not declare \(name.quotedForDisplay) exactly; add it to the app's bluetooth-names"
    case .technology(let technology):
      "the app does not declare \(technology.rawValue); add \"\(technology.rawValue)\" to the app's supports"
    }
  }
}

extension ManifestDiagnostic.Contradiction {
  fileprivate var sentence: String {
    switch self {
    case .below(let key, let value, let least):
      "\(value) is less than \(key) (\(least)); use \(least) or more, or lower \(key)"
    case .above(let key, let value, let most):
      "\(value) is too much for \(key), which allows \(most); lower this or raise \(key)"
    }
  }
}

extension ManifestDiagnostic.Warning {
  fileprivate var sentence: String {
    switch self {
    case .unknownAccount(let account):
      "this system has no \(account.isUser ? "user" : "group") \(account.name.quotedForDisplay), so no account can act "
        + "as the app; create it or correct the name"
    case .broad(let key):
      "broad: everything with this \(key == .serviceUUID ? "service" : "company") matches; add a blob or a name"
    case .costOfName(let isIndexed):
      "a name alone: any device may call itself so, and "
        + (isIndexed
          ? "every name in sight is looked up once for each length of such names"
          : "every name in sight is compared with it; bluetooth-name-prefix costs less")
    case .costOfAddress:
      "an address alone: it says nothing about a device's kind, and every new payload in sight costs a lookup "
        + "for each length of such prefixes"
    case .missesEvents(let percent): BoardProfile.costOfEvents(listeningPercent: percent)
    case .losesBetweenEvents(.lostMax):
      "its devices send only when pressed, and are lost after this silence; leave it out, or raise it to an hour (3600000) "
        + "or more"
    case .losesBetweenEvents:
      "its devices send only when pressed, and an item of the immediate range loses them after this silence; raise it and "
        + "gate.silence-max-ms to an hour (3600000), or use the default range with gate.lost-ms"
    case .lastsLongerThanBursts(let milliseconds):
      "gate.silence-ms is for devices that sleep between bursts, and one whose bursts are shorter than these "
        + "\(milliseconds) ms is never let in; lower it if they are"
    case .maskComparesNothing: "the mask has no bit set, so that only the length is compared; set some"
    case .blobNeverFits(let byteCount, let most):
      "never matches: the blob has \(byteCount) bytes and an advertisement holds \(most) there; shorten it"
    case .nameNeverFits(let byteCount, let most):
      "never matches: the name has \(byteCount) bytes and a device's name at most \(most); shorten it"
    case .blobBeginsWithItsKey:
      "the blob begins with the key's own bytes, which stand before the data and are not part of it; remove them"
    case .star(let isAtEnd, let key):
      "the star is a character of the name, and stands for no other text; \(isAtEnd ? "leave it out" : "end before it"): "
        + "\(key.rawValue) finds every name that begins so"
    case .backslashInSSID(let key):
      "the backslash is a character of the network's name; if it is an escape, as in \\xE9, write the name's bytes in "
        + key.rawValue
    case .hiddenNetwork:
      "never matches: a name of NULs alone stands for every network that hides its name; write the network's own name"
    case .wifiInterfaceMissing: Gateway.reasonNoNetworkMatches
    case .onlyWiFiAware: WiFiAwareService.reasonNothingIsFound
    case .wifiInterfaceUnused:
      "no effect: no app looks for networks; remove it, or add \"WiFi\" to an app's supports"
    case .nameWithPassiveScan:
      "may never match: many devices send their name only when asked; use scan = \"auto\" in [gateway]"
    case .pairingInExclusiveAccess:
      "never set up: with access = \"exclusive\" no device is paired; use access = \"shared\""
    case .optionWithoutPairing(let option):
      "no effect: \(option) takes effect in a pairing; add \"bluetoothPairingLE\", or remove it"
    case .overlap(let overlap, let app, let id): overlap.sentence(with: "\(app)/\(id)")
    case .noEffect(let reason): reason.sentence
    }
  }
}

extension DescriptorOverlap {
  fileprivate func sentence(with other: String) -> String {
    switch self {
    case .someDevices:
      "a device can match this item and \(other); add a blob, a mask bit or a name that distinguishes them"
    case .firstCoversSecond: "whatever matches \(other) matches this item too; narrow this item's descriptor"
    case .secondCoversFirst: "whatever matches this item matches \(other) too; narrow that item's descriptor"
    }
  }
}

extension ManifestDiagnostic.NoEffect {
  fileprivate var sentence: String {
    switch self {
    case .observed: "no effect: the item is only observed and never set up; remove it or change select"
    case .notImmediate:
      "no effect: the default range has no gate; add bluetooth-range = \"immediate\" to the descriptor"
    case .immediate: "no effect: an immediate item is lost by leave-… and silence-ms; remove it"
    case .txPowerGiven:
      "no effect: tx-power is given, so that path losses decide; use enter- and leave-path-loss"
    case .txPowerMissing: "no effect: path losses decide only with tx-power; add tx-power to the item"
    case .noRename: "no effect: nothing is renamed; add \"rename\" to setup-options"
    case .noSSID:
      "no effect: only a network that is looked for by ssid-prefix is renamed; remove the option or add that"
    case .networkFound:
      "no effect at setup: the app needs the network's name as it is on the air, to join it; remove the option"
    case .notAnchored: "no effect: \"backwards\" finds a name's end only together with \"anchored\"; add it"
    }
  }
}
