// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import JSON
public import Manifest
public import Setup
import ToolText
import Varlink

/// Everything the agent decides: which reports match, who may know, and what they are told.
///
/// Pure: packets, octets of clients, what was read from files, and the time go in; ``nextAction()`` and the octets for
/// clients come out. It makes no system call and reads no clock, so a simulation runs the very same code. All instants
/// count from the agent's start. Whoever drives it calls ``turn(at:radioLead:)`` after every input and when
/// ``nextDeadline`` has come, then performs the actions and sends what waits for clients.
public final class AgentCore {
  /// What was read and decided before the start.
  public struct Setup: Sendable {
    public var configuration: Configuration
    /// How status names the radio: as the manifest or the command line does.
    public var radioSource: String
    /// Names this run to those who read its events.
    public var epoch: Block128
    /// Makes tokens and identifiers that nobody can guess; drawn from the kernel, and told to nobody.
    public var secret: Block128
    public var version: String

    public init(
      _ configuration: Configuration, radioSource: String, epoch: Block128, secret: Block128,
      version: String = "0.0.0"
    ) {
      self.configuration = configuration
      self.radioSource = radioSource
      self.epoch = epoch
      self.secret = secret
      self.version = version
    }
  }

  /// What the files say; a reload brings another one.
  public struct Configuration: Sendable {
    public var manifest: GatewayManifest
    public var identities: [IdentityKey]
    public var board: BoardProfile
    public var access: AccessList

    public init(
      _ manifest: GatewayManifest, identities: [IdentityKey] = [],
      board: BoardProfile = BoardProfile(name: "generic"),
      access: AccessList = AccessList()
    ) {
      self.manifest = manifest.paced(by: board)
      self.identities = identities
      self.board = board
      self.access = access
    }

    var setup: SetupConfiguration { SetupConfiguration(manifest, accounts: access.accounts) }
  }

  /// The radio may be away for so long before what it had found counts as lost.
  static let radioGraceMilliseconds: Int64 = 3000

  let epoch: Block128
  let service: Service<AgentMethod>
  var configuration: Configuration
  var radioSource: String
  var dataPath: DataPath
  var radio: Radio
  var clients: ClientTable
  /// Sessions, requests, and the registry.
  public internal(set) var setupCore: SetupCore
  /// The revision of the setup core already acted on.
  var setupRevision: UInt64 = 0
  var feeds: AdvertisementFeeds
  /// Time and event sequence of the last candidate refresh.
  var lookedAt: Instant?
  var lookedAtEvent: UInt64 = 0
  /// What the data path has beside the manifest's items, and which devices it keeps.
  var appSuppliedItems: [ManifestItem] = []
  var markedAccessories: Set<DeviceAddress> = []
  /// Some accessory may come back as something else; when that is looked for next.
  var hasSecondIdentities = false
  var secondLook = Instant(microseconds: 0)
  var callCount: UInt64 = 0
  var reload = ManifestReload()
  var tap = PacketTap()
  var sampler = DeviceSampler()
  var rendered = EventMessages()
  var tally = AgentCounters()
  /// What the shell counts; it says so before a turn.
  public var loop = LoopCounters()

  /// The time of this turn, and how far the radio's clock runs ahead of it.
  var now: Instant
  var radioLead: Int64 = 0
  /// When the radio stopped scanning, if it should; nil again once what was found is lost.
  var radioGoneSince: Instant?
  /// What was found was lost because the radio was gone, and it has not come back.
  var hasLostRadio = false
  /// A client has more calls than one turn takes.
  var isBusy = false
  /// When the kernel was last seen to have dropped packets.
  var lastReceiveDrop: Instant?
  /// What is asked for, as the radio knows it.
  var requests = RequestCounts()
  /// Reports that the radio was last said to have brought.
  var reportsHeard: UInt64 = 0
  private var actions: [Action] = []

  public init(_ setup: Setup, at now: Instant) {
    epoch = setup.epoch
    radioSource = setup.radioSource
    configuration = setup.configuration
    self.now = now
    service = Self.service(version: setup.version)
    let manifest = setup.configuration.manifest
    dataPath = DataPath(
      manifest, identities: setup.configuration.identities,
      adapterOffset: setup.configuration.board.rssiOffset ?? 0, epoch: setup.epoch)
    radio = Radio(nil, addressSeed: setup.epoch)
    radio.hasBoardStep = setup.configuration.board.asksForRecovery
    clients = ClientTable(manifest.gateway.limits)
    setupCore = SetupCore(setup.configuration.setup, secret: setup.secret, at: now)
    feeds = AdvertisementFeeds(setup.epoch)
    dataPath.pipeline.advance(to: now)
    radio.follow(scanPlan, at: now)
    radioGoneSince = now
    followSetup()
    perform(.openRadio(manifest.gateway.radio, access: manifest.gateway.access))
  }

  private static func service(version: String) -> Service<AgentMethod> {
    let identity = ServiceIdentity(
      vendor: "accessory-gateway", product: "accessoryd", version: version,
      url: "")
    do {
      return try Service(
        identity,
        interfaces: [
          GatewayInterface.description(), SessionInterface.description(), PickerInterface.description(),
        ])
    } catch {
      preconditionFailure("our own interfaces are not in order: \(error)")
    }
  }

  // MARK: - Outputs

  func perform(_ action: Action) { actions.append(action) }

  /// The next thing to do, in order; nil when all is done.
  public func nextAction() -> Action? { actions.isEmpty ? nil : actions.removeFirst() }

  /// Whether the radio is to be read at once: a request is open, or the controller is to answer a command.
  /// Otherwise every `drainIntervalMilliseconds` is soon enough.
  public var isRadioUrgent: Bool { requests.open > 0 || radio.awaitsAnswer }

  /// How long the adapter may take to come back behind the steps of the board's profile that others do.
  public var boardSettleMilliseconds: Int { configuration.board.settleMilliseconds }

  public var drainIntervalMilliseconds: Int64 {
    Int64(configuration.manifest.gateway.drainIntervalMilliseconds)
  }

  /// Seconds since 1970 by the machine's clock; nil while it is not set.
  public var wallSeconds: Int64? {
    get { setupCore.wallSeconds }
    set { setupCore.wallSeconds = newValue }
  }

  /// What was done and refused so far.
  public var counters: AgentCounters { tally }
  public var radioState: RadioState { radio.state }
  public var clientCount: Int { clients.count }

  /// When the next turn is due, if nothing comes in before; a time that has passed means at once.
  public var nextDeadline: Instant? {
    if isBusy { return now }
    let ofRadio = Instant.earliest(.earliest(pipelineDeadline, radio.deadline), graceDeadline)
    return .earliest(ofRadio, .earliest(clientDeadline, setupDeadline))
  }

  /// What the data path waits for may be late by as much as a report may, so that a room full of devices does not
  /// wake the machine for each.
  private var pipelineDeadline: Instant? {
    guard let due = dataPath.pipeline.nextDeadline else { return nil }
    let onOurClock = Instant(microseconds: due.microseconds &- radioLead)
    let soonest = isRadioUrgent ? now : now.advanced(milliseconds: drainIntervalMilliseconds)
    return max(onOurClock, soonest)
  }

  private var graceDeadline: Instant? {
    radioGoneSince.map { $0.advanced(milliseconds: Self.radioGraceMilliseconds) }
  }

  /// The radio's own time: ahead of ours while a recording is played as fast as it can be read.
  var radioTime: Instant { Instant(microseconds: now.microseconds &+ radioLead) }
}
