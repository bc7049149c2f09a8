// SPDX-License-Identifier: Apache-2.0

/// The errors of ``GatewayInterface``; raw values are whole names.
public enum GatewayErrorName: String, CaseIterable, Sendable {
  case deviceNotInSight = "io.accessoryd.Gateway.DeviceNotInSight"
  case itemNotFound = "io.accessoryd.Gateway.ItemNotFound"
  case itemAmbiguous = "io.accessoryd.Gateway.ItemAmbiguous"
  case notRecognisable = "io.accessoryd.Gateway.NotRecognisable"
  case manifestRefused = "io.accessoryd.Gateway.ManifestRefused"
  case messageRefused = "io.accessoryd.Gateway.MessageRefused"
  case busy = "io.accessoryd.Gateway.Busy"
  case tooManyConnections = "io.accessoryd.Gateway.TooManyConnections"
}

/// The errors of ``SessionInterface``; raw values are whole names.
public enum SessionErrorName: String, CaseIterable, Sendable {
  case unknown = "io.accessoryd.Session.Unknown"
  case activationFailed = "io.accessoryd.Session.ActivationFailed"
  case connectionFailed = "io.accessoryd.Session.ConnectionFailed"
  case discoveryTimeout = "io.accessoryd.Session.DiscoveryTimeout"
  case extensionNotFound = "io.accessoryd.Session.ExtensionNotFound"
  case invalidated = "io.accessoryd.Session.Invalidated"
  case invalidRequest = "io.accessoryd.Session.InvalidRequest"
  case pickerAlreadyActive = "io.accessoryd.Session.PickerAlreadyActive"
  case pickerRestricted = "io.accessoryd.Session.PickerRestricted"
  case userCancelled = "io.accessoryd.Session.UserCancelled"
  case userRestricted = "io.accessoryd.Session.UserRestricted"
}

/// The errors of ``OperatorInterface``; raw values are whole names.
public enum OperatorErrorName: String, CaseIterable, Sendable {
  case requestClosed = "io.accessoryd.Operator.RequestClosed"
  case notFound = "io.accessoryd.Operator.NotFound"
  case invalid = "io.accessoryd.Operator.Invalid"
  case setupFailed = "io.accessoryd.Operator.SetupFailed"
  case registryUnavailable = "io.accessoryd.Operator.RegistryUnavailable"
  case busy = "io.accessoryd.Operator.Busy"
  case notDisconnected = "io.accessoryd.Operator.NotDisconnected"
}
