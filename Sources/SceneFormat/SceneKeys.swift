// SPDX-License-Identifier: GPL-3.0-or-later

import Manifest

/// The top level of a scene.
enum SceneKey: String, ManifestKey {
  case schema, seed
  case period = "repeat"
  case controller, signal, device
}

/// `[controller]`
enum ControllerKey: String, ManifestKey {
  case address, version, manufacturer
  case extendedAdvertising = "extended-advertising"
  case codedPHY = "coded-phy"
  case answer
  case batch
  case fault

  static var neighbours: [String] { FaultKey.allCases.map { "fault.\($0.rawValue)" } }
}

/// `[[controller.fault]]`
enum FaultKey: String, ManifestKey {
  case command, at
  case effect = "does"
  case stage, delay, status, code, data
  case length = "for"
  case skips = "skip"
  case times
}

/// `[signal]`: the defaults that a device can override.
enum SignalKey: String, ManifestKey {
  case sigma, loss, channels, fades
}

/// `fades` of `[signal]`.
enum FadesKey: String, ManifestKey {
  case chance, depth
  case length = "for"
}

/// `[[device]]`
enum DeviceKey: String, ManifestKey {
  case name, address
  case addressType = "address-type"
  case identityKey = "identity-key"
  case rotation
  case pdu, target
  case targetType = "target-type"
  case interval, jitter
  case turn, payload
  case scanResponse = "scan-response"
  case set
  case primaryPHY = "primary-phy"
  case secondaryPHY = "secondary-phy"
  case txPower = "tx-power"
  case fragment
  case dbm, path
  case measured
  case present
  case sigma, loss, channels, fades

  static var neighbours: [String] { StructureKey.allCases.map { "payload.\($0.rawValue)" } }
}

/// A point of `path`.
enum PointKey: String, ManifestKey {
  case at, dbm
}

/// An AD structure of `payload` or `scan-response`.
enum StructureKey: String, ManifestKey {
  case flags, name
  case shortName = "short-name"
  case services
  case incompleteServices = "incomplete-services"
  case solicitations
  case company, service
  case txPower = "tx-power"
  case appearance, type
  case data, raw
}
