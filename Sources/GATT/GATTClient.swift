// SPDX-License-Identifier: Apache-2.0

/// The client's side of an ATT link, as a pure state machine: ``step(_:at:)`` receives packets, operations and the
/// time, and returns what they lead to. Packets to send are in ``nextPacket``.
///
/// One request is in progress at a time; notifications and indications arrive in between (Core Specification 5.4,
/// Volume 3, Part F, 3.3.2). The first requests are the client's own: it exchanges the MTU, and subscribes to Service
/// Changed. Capacity: ``operationsMax`` operations, one of them in progress; another one fails. ``commandsMax`` packets
/// without response; another one is dropped and counted.
public struct GATTClient: Sendable {
  public static let mtuMin = 23
  public static let mtuMax = 517
  /// The length of the longest attribute (Part F, 3.2.9).
  public static let valueBytesMax = 512
  public static let operationsMax = 1_024
  public static let commandsMax = 64
  /// How long a response may take (Part F, 3.3.3).
  public static let responseTimeout = Duration.seconds(30)

  /// Names an operation in its completion; the caller chooses it.
  public typealias OperationID = UInt64

  enum Purpose: Equatable, Sendable {
    case start
    case watchServices
    case operation(OperationID)
  }

  /// A procedure in progress, and its request that has no response yet.
  struct Transaction: Sendable {
    let purpose: Purpose
    var procedure: any GATTProcedure
    var request: ATTOpcode
    var deadline: Duration
  }

  enum State: Sendable {
    /// Nothing was sent yet.
    case new
    case idle
    case waiting(Transaction)
    case closed(GATTError)
  }

  /// The longest packet that both sides can receive.
  public private(set) var mtu = GATTClient.mtuMin
  public private(set) var counters = GATTCounters()
  private(set) var state = State.new
  private var operations: [(id: OperationID, operation: GATTOperation)] = []
  private var output = PacketQueue()
  private var serviceChangedHandle: UInt16?

  public init() {}

  // MARK: Input

  /// Receives one input, and returns its effects in order.
  public mutating func step(_ input: GATTInput, at time: Duration) -> [GATTAction] {
    if case .closed(let error) = state {
      guard case .begin(_, let id) = input else { return [] }
      return [.complete(id, .failure(error))]
    }
    var actions: [GATTAction] = []
    switch input {
    case .start:
      guard case .new = state else { return [] }
      beginProcedure(MTUExchange(), for: .start, at: time, &actions)
    case .begin(let operation, let id):
      guard operations.count < Self.operationsMax else {
        return [.complete(id, .failure(.tooManyOperations))]
      }
      operations.append((id, operation))
    case .writeCommand(let handle, let value): queueCommand(handle, value)
    case .packetSent: if output.removeFirst() { actions.append(.commandsFit) }
    case .received(let bytes): receive(bytes, at: time, &actions)
    case .timePassed:
      if let deadline, deadline <= time { close(.timedOut, &actions) }
    case .linkEnded: close(.linkEnded, &actions)
    }
    beginNext(at: time, &actions)
    return actions
  }

  /// When ``GATTInput/timePassed`` is needed; nil while no response is missing.
  public var deadline: Duration? {
    if case .waiting(let transaction) = state { transaction.deadline } else { nil }
  }

  // MARK: Output

  /// The packet to send next; ``GATTInput/packetSent`` removes it.
  public var nextPacket: [UInt8]? { output.first }

  /// Whether a packet without response fits now. After it returned false, ``GATTAction/commandsFit`` says when one
  /// does.
  public mutating func canQueueCommand() -> Bool { output.canAppendCommand() }

  /// The length of the longest value that fits into a packet without response.
  public var commandValueBytesMax: Int { min(mtu - 3, Self.valueBytesMax) }

  private mutating func queueCommand(_ handle: UInt16, _ value: [UInt8]) {
    guard value.count <= commandValueBytesMax, output.canAppendCommand() else {
      counters.droppedCommands &+= 1
      return
    }
    output.append(.writeCommand(handle, value))
  }

  // MARK: Procedures

  private mutating func beginNext(at time: Duration, _ actions: inout [GATTAction]) {
    while case .idle = state, !operations.isEmpty {
      let (id, operation) = operations.removeFirst()
      beginProcedure(operation.procedure, for: .operation(id), at: time, &actions)
    }
  }

  private mutating func beginProcedure(
    _ procedure: any GATTProcedure, for purpose: Purpose, at time: Duration, _ actions: inout [GATTAction]
  ) {
    var procedure = procedure
    let step = procedure.firstStep(mtu: mtu)
    apply(step, of: procedure, for: purpose, at: time, &actions)
  }

  /// The one place that sets the state, apart from ``close(_:_:)``.
  private mutating func apply(
    _ step: GATTStep, of procedure: any GATTProcedure, for purpose: Purpose, at time: Duration,
    _ actions: inout [GATTAction]
  ) {
    switch step {
    case .request(let packet):
      output.append(packet)
      state = .waiting(
        Transaction(
          purpose: purpose, procedure: procedure, request: packet.opcode,
          deadline: time + Self.responseTimeout))
    case .finish(let result):
      state = .idle
      finish(purpose, .success(result), at: time, &actions)
    case .fail(let error):
      state = .idle
      finish(purpose, .failure(error), at: time, &actions)
    }
  }

  private mutating func finish(
    _ purpose: Purpose, _ result: Result<GATTResult, GATTError>, at time: Duration,
    _ actions: inout [GATTAction]
  ) {
    switch purpose {
    case .start:
      actions.append(.ready)
      beginProcedure(ServiceChangedWatch(), for: .watchServices, at: time, &actions)
    case .watchServices:
      guard case .success(.characteristics(let found)) = result else { return }
      serviceChangedHandle = found.first?.valueHandle
    case .operation(let id): actions.append(.complete(id, result))
    }
  }

  private mutating func close(_ error: GATTError, _ actions: inout [GATTAction]) {
    if case .waiting(let transaction) = state, case .operation(let id) = transaction.purpose {
      actions.append(.complete(id, .failure(error)))
    }
    actions += operations.map { .complete($0.id, .failure(error)) }
    operations = []
    output = PacketQueue()
    state = .closed(error)
    actions.append(.close(error))
  }

  // MARK: Packets

  private mutating func receive(_ bytes: [UInt8], at time: Duration, _ actions: inout [GATTAction]) {
    let packet: ATTPacket
    do throws(ATTPacketError) {
      packet = try ATTPacket(parsing: bytes)
    } catch {
      receiveMalformed(bytes, error, at: time, &actions)
      return
    }
    switch packet {
    case .notification(let handle, let value): actions.append(.receive(handle, value))
    case .indication(let handle, let value):
      output.append(.confirmation)
      receiveIndication(handle, value, &actions)
    case .errorResponse(let request, let handle, let code):
      takeStep(request, at: time, &actions) { $0.nextStep(afterError: code, handle: handle) }
    case .exchangeMTUResponse, .findInformationResponse, .findByTypeValueResponse, .readByTypeResponse,
      .readResponse, .readBlobResponse, .readByGroupTypeResponse, .writeResponse, .prepareWriteResponse,
      .executeWriteResponse:
      receiveResponse(packet, at: time, &actions)
    case .exchangeMTURequest, .findInformationRequest, .findByTypeValueRequest, .readByTypeRequest,
      .readRequest, .readBlobRequest, .readByGroupTypeRequest, .writeRequest, .prepareWriteRequest,
      .executeWriteRequest:
      refuse(packet)
    case .confirmation, .writeCommand: counters.unexpectedPackets &+= 1
    }
  }

  private mutating func receiveIndication(
    _ handle: UInt16, _ value: [UInt8], _ actions: inout [GATTAction]
  ) {
    guard handle == serviceChangedHandle else {
      actions.append(.receive(handle, value))
      return
    }
    var reader = PacketReader(value[...])
    guard let range = reader.readRange() else {
      counters.malformedPackets &+= 1
      return
    }
    actions.append(.servicesChanged(range))
  }

  private mutating func receiveResponse(
    _ response: ATTPacket, at time: Duration, _ actions: inout [GATTAction]
  ) {
    // The new MTU holds from here on, whatever the rest of the procedure does.
    if case .exchangeMTUResponse(let theirs) = response, case .waiting(let transaction) = state,
      transaction.request == .exchangeMTURequest
    {
      setMTU(theirs)
    }
    let mtu = mtu
    takeStep(response.opcode.rawValue - 1, at: time, &actions) { $0.nextStep(after: response, mtu: mtu) }
  }

  /// Lets the procedure in progress take its next step, if it waits for the response to a request with this opcode.
  private mutating func takeStep(
    _ request: UInt8, at time: Duration, _ actions: inout [GATTAction],
    _ takeStep: (inout any GATTProcedure) -> GATTStep
  ) {
    guard case .waiting(let transaction) = state, transaction.request.rawValue == request else {
      counters.unexpectedPackets &+= 1
      return
    }
    var procedure = transaction.procedure
    let step = takeStep(&procedure)
    apply(step, of: procedure, for: transaction.purpose, at: time, &actions)
  }

  /// A malformed response ends its request. Everything else that is malformed is counted; a request also gets a reply.
  private mutating func receiveMalformed(
    _ bytes: [UInt8], _ error: ATTPacketError, at time: Duration, _ actions: inout [GATTAction]
  ) {
    counters.malformedPackets &+= 1
    guard let first = bytes.first else { return }
    guard let opcode = ATTOpcode(rawValue: first) else {
      if ATTReply.isRequest(first) { output.append(ATTReply.refusal(ofUnknown: first)) }
      return
    }
    if opcode.response != nil {
      output.append(.errorResponse(request: first, handle: 0, code: .invalidPacket))
    } else if opcode == .indication {
      output.append(.confirmation)
    } else if case .waiting(let transaction) = state,
      opcode == transaction.request.response || opcode == .errorResponse
    {
      takeStep(transaction.request.rawValue, at: time, &actions) { $0.nextStep(afterMalformed: error) }
    }
  }

  private mutating func setMTU(_ theirs: UInt16) { mtu = min(max(Self.mtuMin, Int(theirs)), Self.mtuMax) }

  private mutating func refuse(_ request: ATTPacket) {
    counters.refusedRequests &+= 1
    // The MTU is that of the link, whichever side asks (Part F, 3.4.2.2).
    if case .exchangeMTURequest(let theirs) = request { setMTU(theirs) }
    output.append(ATTReply.reply(to: request))
  }
}
