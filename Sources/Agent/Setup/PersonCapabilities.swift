// SPDX-License-Identifier: GPL-3.0-or-later

import Interfaces
import Manifest
import Pairing
import Setup
import Varlink

/// What persons can do while a device is paired, as their clients declare it.
struct PersonCapabilities: OptionSet {
  let rawValue: UInt8

  static let display = Self(rawValue: 1 << 0)
  static let keyboard = Self(rawValue: 1 << 1)
  static let yesNo = Self(rawValue: 1 << 2)

  /// How the kernel and the device know it. Saying yes or no needs digits to be seen.
  var capability: IOCapability {
    switch (contains(.display), contains(.keyboard)) {
    case (true, true): .keyboardDisplay
    case (true, false): contains(.yesNo) ? .displayYesNo : .displayOnly
    case (false, true): .keyboardOnly
    case (false, false): .none
    }
  }
}

extension PersonCapabilities {
  /// Reads the parameter of `Watch`.
  init(_ parameters: Parameters) throws(OperatorError) {
    let names = (try? parameters.strings("capabilities")) ?? []
    self = []
    for name in names {
      switch PairingCapabilityName(rawValue: name) {
      case .display: insert(.display)
      case .keyboard: insert(.keyboard)
      case .yesNo: insert(.yesNo)
      case nil: throw .invalid(field: "capabilities", reason: "they are display, keyboard and yesNo")
      }
    }
  }
}

extension AgentCore {
  /// What the persons at all watching clients can do together.
  var operatorCapability: IOCapability {
    var capabilities: PersonCapabilities = []
    for client in clients.connected {
      if let stream = client.stream as? RequestStream { capabilities.formUnion(stream.capabilities) }
    }
    return capabilities.capability
  }
}

// MARK: - Names on the socket

extension PairingQuestionLine {
  init(_ question: PairingQuestion) {
    switch question {
    case .compare(let number): self.init(.compare, digits: Self.digits(number))
    case .enterDigits: self.init(Kind.enterDigits, digits: nil)
    case .showDigits(let number): self.init(.showDigits, digits: Self.digits(number))
    }
  }

  /// The number with its leading zeros.
  private static func digits(_ number: UInt32) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 6 - digits.utf8.count)) + digits
  }
}

extension DisplayItem {
  /// How devices of the item are paired; nil when they are not.
  var pairingDemandName: RequestItemLine.Pairing? {
    guard descriptor.supportedOptions.contains(.bluetoothPairingLE) else { return nil }
    return switch pairing {
    case nil: .any
    case .justWorks: .justWorks
    case .authenticated: .authenticated
    }
  }
}

extension SetupFlow {
  /// Whether a device that the request is about may be paired.
  var pairsDevices: Bool {
    if case .pair? = question?.change { return true }
    return !pairedItems.isEmpty
  }

  /// Whether all devices that may be paired are input devices.
  var pairsOnlyInputDevices: Bool {
    !pairedItems.isEmpty
      && pairedItems.allSatisfy { $0.descriptor.supportedOptions.contains(.bluetoothHID) }
  }

  private var pairedItems: [DisplayItem] {
    (picker?.items ?? []).filter { $0.migration == nil && $0.item.pairingDemandName != nil }.map(\.item)
  }
}
