// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import Manifest
import Setup
public import VirtualRadio

/// One device at the immediate gate: its seeded signal goes through the whole data path, byte for byte, until it enters
/// or is chosen by touch, or the time is over.
public struct GateTrial: Sendable {
  public var model: SignalModel
  public var advertisingMilliseconds = 100
  public var schedule = ScanSchedule.continuous
  public var milliseconds: Int
  /// When the device arrives at the gateway.
  public var arrival = Instant(microseconds: 0)

  public init(_ model: SignalModel, milliseconds: Int) {
    self.model = model
    self.milliseconds = milliseconds
  }

  /// The outcome of one seed.
  public struct Outcome: Equatable, Sendable {
    /// The first report received since the arrival.
    public var firstHeard: Instant?
    public var entered: Instant?
    /// The device was chosen by touch.
    public var granted: Instant?
  }

  /// When the app's request by touch opens; nil without one, then a trial ends when the device enters.
  public var requestOpens: Instant?
  /// Whether the board profile gives the adapter's offset.
  public var isCalibrated = true

  public func run(seed: UInt64) -> Outcome {
    var path = ManifestDataPath(Self.manifest)
    var packet = ReportEncoder.event(.legacy, Self.report)
    var outcome = Outcome()
    let trace = SignalTrace(
      model, advertisingMilliseconds: advertisingMilliseconds, schedule: schedule, milliseconds: milliseconds,
      seed: seed)
    var touch = TouchTracking()
    for sample in trace {
      if let choice = touch.choice?.deadline, choice <= sample.time,
        case .chosen = touch.choice?.decide(at: choice)
      {
        outcome.granted = choice
        return outcome
      }
      guard let rssi = sample.rssi else { continue }
      if outcome.firstHeard == nil, sample.time >= arrival { outcome.firstHeard = sample.time }
      packet[packet.count - 1] = UInt8(bitPattern: rssi)  // The last byte of a legacy report is its RSSI.
      _ = path.pipeline.receive(h4: packet.span.rawBytes, at: sample.time)
      if outcome.entered == nil, path.pipeline.events.produced > 0 { outcome.entered = sample.time }
      if requestOpens == nil, outcome.entered != nil { return outcome }
      guard let requestOpens, sample.time >= requestOpens else { continue }
      _ = touch.follow(
        held(in: path, at: sample.time), contested: [], isSettled: true, isCalibrated: isCalibrated,
        at: sample.time)
    }
    return outcome
  }

  /// The device, if the gate has let it in, as the agent passes it to the request.
  private func held(in path: borrowing ManifestDataPath, at now: Instant) -> [DeviceAddress: HeldDevice] {
    let address = Self.report.header.address
    guard let row = path.pipeline.row(at: address), let device = path.pipeline.device(at: row),
      device.matchCount > 0, path.pipeline.match(0, at: row).isFound
    else { return [:] }
    let held = HeldDevice(
      item: "bulb", level: Int(device.signal.level),
      enterLevel: path.pipeline.enterLevel(at: row, item: 0),
      levelBefore: device.levels.median(at: now), appeared: device.levels.appeared)
    return [address: held]
  }

  private static let report = AirReport(
    .nonConnectable, from: DeviceAddress(bits: 0xC0DE_0000_0001, type: .random), rssi: 0,
    AdvertisingPayload().flags(0x06).manufacturerData(0x0EEE, [0xA5, 0x5A]))

  /// One item with the gate's defaults, and tables no larger than one device needs.
  private static let manifest: GatewayManifest = {
    var item = DisplayItem(id: "bulb", name: "Bulb")
    item.descriptor.companyIdentifier = 0x0EEE
    item.descriptor.range = .immediate
    var app = App(name: "lights", account: .user("lights"))
    app.items = [item]
    var manifest = GatewayManifest()
    manifest.apps = [app]
    manifest.gateway.capacities.devices = 16
    manifest.gateway.capacities.longPayloads = 0
    manifest.gateway.capacities.reassemblies = 1
    manifest.gateway.capacities.events = 16
    manifest.gateway.capacities.eventBytes = 4096
    return manifest
  }()
}
