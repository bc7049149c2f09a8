// SPDX-License-Identifier: GPL-3.0-or-later

import Discovery
public import HCI
import Interfaces
public import Manifest
public import Setup
import Varlink

/// The agent: it gives every input to its owner, starts calls, and asks streams for replies.
///
/// Pure: packets, bytes of clients, what was read from files, and the time go in; ``nextAction()`` and the bytes for
/// clients come out. It makes no system call and reads no clock, so a simulation runs the same code. All instants count
/// from the agent's start. The shell calls ``turn(at:radioLead:)`` after every input and at ``nextDeadline``, then
/// performs the actions and sends what waits for clients.
public final class AgentCore {
  /// What was read and decided before the start.
  public struct Setup: Sendable {
    public var configuration: Configuration
    /// Names this run to the readers of its events.
    public var epoch: Block128
    /// Seeds tokens and identifiers, so that no client can guess them. Drawn from the kernel, and never sent.
    public var secret: Block128
    public var version: String

    public init(
      _ configuration: Configuration, radioSource: String, epoch: Block128, secret: Block128,
      version: String = "0.0.0"
    ) {
      self.configuration = configuration
      self.configuration.radioSource = radioSource
      self.epoch = epoch
      self.secret = secret
      self.version = version
    }
  }

  /// What the files say. A reload replaces it.
  public struct Configuration: Sendable {
    /// Adapted to the board's profile; a new value is taken as it is.
    public var manifest: GatewayManifest {
      _read { yield adapted }
      set { (read, adapted) = (newValue, newValue) }
    }
    public var identities: [IdentityKey]
    /// The profile that counts.
    public private(set) var board: BoardProfile
    /// The profile that the manifest names, and the one for an adapter on USB.
    private let named: BoardProfile
    private let usb: BoardProfile?
    private var read: GatewayManifest
    private var adapted: GatewayManifest
    /// Whether the kernel reaches the adapter over USB.
    private(set) var isUSB = false
    public var access: AccessList
    /// The digest of the manifest's file, as hexadecimal digits; nil without one.
    public var manifestDigest: String?
    /// How status names the radio: as the manifest or the command line does.
    var radioSource = ""

    public init(
      _ manifest: GatewayManifest, identities: [IdentityKey] = [],
      board: BoardProfile = BoardProfile(name: BoardProfile.unmeasuredName), usb: BoardProfile? = nil,
      access: AccessList = AccessList()
    ) {
      (read, adapted) = (manifest, manifest.paced(by: board))
      self.identities = identities
      (self.board, named, self.usb) = (board, board, usb)
      self.access = access
    }

    /// Takes the profile that counts for the adapter. Returns whether it is another one than before.
    mutating func follow(isUSB: Bool) -> Bool {
      self.isUSB = isUSB
      let profile = isUSB && named.givesWayToUSB ? usb ?? named : named
      guard profile != board else { return false }
      board = profile
      adapted = read.paced(by: profile)
      return true
    }

    /// The profile that the manifest names, where another one counts; else nil.
    var replacedBoard: String? { board.name == named.name ? nil : named.name }

    /// Setups do not depend on how much of the time the radio listens.
    var setup: SetupConfiguration {
      SetupConfiguration(read, accounts: access.accounts, isAdapterCalibrated: isAdapterCalibrated)
    }

    /// Whether levels mean what they say: the board profile has an offset. Recorded and simulated radios need none.
    public var isAdapterCalibrated: Bool {
      switch manifest.gateway.radio {
      case .any, .index, .address: board.rssiOffset != nil
      case .btsnoop, .h4: true
      }
    }
  }

  let service: Service<AgentMethod>
  /// The manifest in force, and what belongs to it.
  public internal(set) var configuration: Configuration { didSet { turn.outlook.isOld = true } }
  var dataPath: ManifestDataPath
  var radio: Radio { didSet { turn.outlook.isOld = true } }
  var filter = RadioFilter() { didSet { turn.outlook.isOld = true } }
  /// What was counted when the filter was attached; nil without one.
  var filteredSince: Counters?
  /// Calls that wait until every report has been heard for a while.
  var postponedCallCount = 0
  /// The networks in reach, what items have found among them, and when they are looked for.
  var networkLink: NetworkLink { didSet { turn.outlook.isOld = true } }
  /// The clients that receive the radio's packets as they are.
  var packetTap = PacketTap()
  /// How many calls ask for active scans.
  var activeScanCount = 0
  package var clients: ClientTable
  /// Sessions, requests, and the registry.
  public internal(set) var setupCore: SetupCore
  var setupLink = SetupLink()
  /// The connections of apps to their accessories.
  package var links = AccessoryLinks()
  /// The streams of raw reports.
  var reports = ReportStreams()
  /// How devices are paired.
  package var pairing = PairingLink() { didSet { turn.outlook.isOld = true } }
  var feeds: EventFeeds
  var history: RecentHistory
  var reload = ManifestReload()
  /// Sentences about apps of the manifest in force that have no socket of their own; the shell sets them.
  public var appSocketErrors: [String] = []
  /// What was done and refused so far. The shell counts too, for itself and for the reception of packets.
  public var counters = AgentCounters()
  public var streamCounters: StreamCounters { feeds.counters }
  /// It holds values alone, so that the compiler proves the accesses to it.
  var turn: AgentTurn
  /// What the shell has yet to do, in order.
  var actions: [Action] = []
  /// Measures this process when a client asks for metrics; the shell sets it. Nothing else depends on it.
  public var measureProcess: () -> ProcessFigures? = { nil }

  public init(_ setup: Setup, at now: Instant) {
    configuration = setup.configuration
    turn = AgentTurn(now: now)
    service = .agent(version: setup.version)
    let manifest = setup.configuration.manifest
    dataPath = ManifestDataPath(
      manifest, identities: setup.configuration.identities,
      adapterOffset: setup.configuration.board.rssiOffset ?? 0, epoch: setup.epoch,
      hashKey: HashKey(random: AES128.encrypt(Block128(high: .max, low: .max), key: setup.secret).low))
    networkLink = NetworkLink(dataPath.items)
    radio = Radio(addressSeed: setup.epoch, at: now)
    filter.isAllowed = manifest.gateway.filter == .on
    clients = ClientTable(manifest.gateway.limits)
    setupCore = SetupCore(setup.configuration.setup, secret: setup.secret, at: now)
    feeds = EventFeeds(setup.epoch)
    history = RecentHistory(setup.epoch, itemCount: dataPath.items.count)
    dataPath.pipeline.advance(to: now)
    radio.follow(scanPlan, at: now)
    follow(setupCore.start())
    performSetupEffects()
    enqueue(.openRadio(manifest.gateway.radio, access: manifest.gateway.access))
  }

  /// Seconds since 1970 by the machine's clock; nil while it is not set.
  public var wallSeconds: Int64? {
    get { setupCore.wallSeconds }
    set { setupCore.wallSeconds = newValue }
  }

  public var clientCount: Int { clients.count }

  var epochText: String { feeds.epochText }

  /// Traps when a count of streams is wrong; for tests.
  package func checkStreamCounts() {
    dataPath.pipeline.checkInvariants()
    precondition(packetTap.readerCount == clients.streamCount(CaptureStream.self))
    precondition((0...packetTap.readerCount).contains(packetTap.listenerCount))
    precondition(activeScanCount == clients.streamCount(ActiveScanStream.self))
  }
}

/// What was sighted, for the clients that watch.
struct EventFeeds {
  /// Names the numbering of this run's events.
  let epoch: Block128
  /// The same as events carry it; kept, because it is in every one of them.
  let epochText: String
  /// The messages of sighting events, for operators.
  var messages = EventMessages()
  /// The advertisements of accessories, for their apps.
  var advertisements: AdvertisementFeeds
  /// Connections and changes of the radio, for operators.
  var conditions = Ring<WatchedCondition>(capacity: 64)
  /// The networks that items have found and lost, for operators.
  var networks = Ring<NetworkEventLine>(capacity: 256)
  var counters = StreamCounters()

  init(_ epoch: Block128) {
    self.epoch = epoch
    epochText = epoch.text
    advertisements = AdvertisementFeeds(epoch)
  }
}

extension Service<AgentMethod> {
  /// The agent's three interfaces.
  static func agent(version: String) -> Self {
    let identity = ServiceIdentity(
      vendor: "accessory-gateway", product: "accessoryd", version: version, url: "")
    return Self(
      identity, interfaces: [GatewayInterface.self, SessionInterface.self, OperatorInterface.self],
      renamingCures: [OperatorInterface.formerName: OperatorInterface.renamingCure])
  }
}
