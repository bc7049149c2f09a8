// SPDX-License-Identifier: Apache-2.0

/// Tells the server how long the packets may be that the client receives (Core Specification 5.4, Volume 3, Part G,
/// 4.3.1). The client takes the server's MTU from the response; a server that refuses keeps the smallest one.
struct MTUExchange: GATTProcedure {
  mutating func firstStep(mtu: Int) -> GATTStep {
    .request(.exchangeMTURequest(UInt16(GATTClient.mtuMax)))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep { .finish(.done) }
}

/// Asks the server to indicate when its services change (Part G, 7.1). Result: the characteristic Service Changed, or
/// none when the server has no such characteristic or refuses: then its services do not change during a connection.
struct ServiceChangedWatch: GATTProcedure {
  private enum Stage: Sendable {
    case service(ServiceSearch)
    case characteristic(CharacteristicDiscovery)
    case subscription(SubscriptionWrite, GATTCharacteristic)
  }

  private var stage = Stage.service(ServiceSearch(uuids: [.genericAttribute]))

  mutating func firstStep(mtu: Int) -> GATTStep {
    step(mtu: mtu) { procedure in procedure.firstStep(mtu: mtu) }
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    step(mtu: mtu) { procedure in procedure.nextStep(after: response, mtu: mtu) }
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    step(mtu: GATTClient.mtuMin) { procedure in procedure.nextStep(afterError: code, handle: handle) }
  }

  /// Lets the procedure of this stage take its step, and begins the next stage with its result.
  private mutating func step(
    mtu: Int, _ takeStep: (inout any GATTProcedure) -> GATTStep
  ) -> GATTStep {
    let result: GATTResult
    switch stageStep(takeStep) {
    case .request(let request): return .request(request)
    case .fail: return .finish(.characteristics([]))
    case .finish(let finished): result = finished
    }
    switch (stage, result) {
    case (.service, .services(let services)):
      guard let service = services.first else { return .finish(.characteristics([])) }
      stage = .characteristic(CharacteristicDiscovery(range: service.range))
    case (.characteristic, .characteristics(let characteristics)):
      guard let found = characteristics.first(where: { $0.uuid == .serviceChanged }) else {
        return .finish(.characteristics([]))
      }
      stage = .subscription(
        SubscriptionWrite(range: found.descriptorRange, subscription: .indications), found)
    case (.subscription(_, let found), _): return .finish(.characteristics([found]))
    case (.service, _), (.characteristic, _): return .finish(.characteristics([]))
    }
    return firstStep(mtu: mtu)
  }

  private mutating func stageStep(_ takeStep: (inout any GATTProcedure) -> GATTStep) -> GATTStep {
    var procedure: any GATTProcedure
    switch stage {
    case .service(let search): procedure = search
    case .characteristic(let discovery): procedure = discovery
    case .subscription(let write, _): procedure = write
    }
    defer {
      switch (stage, procedure) {
      case (.service, let search as ServiceSearch): stage = .service(search)
      case (.characteristic, let discovery as CharacteristicDiscovery): stage = .characteristic(discovery)
      case (.subscription(_, let found), let write as SubscriptionWrite): stage = .subscription(write, found)
      default: break
      }
    }
    return takeStep(&procedure)
  }
}
