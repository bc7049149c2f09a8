// SPDX-License-Identifier: Apache-2.0

/// Finds the descriptors of a characteristic (Core Specification 5.4, Volume 3, Part G, 4.7.1).
struct DescriptorDiscovery: GATTProcedure {
  private var progress: DiscoveryProgress
  private(set) var descriptors: [AttributeType] = []

  init(range: HandleRange?) { progress = DiscoveryProgress(range) }

  mutating func firstStep(mtu: Int) -> GATTStep {
    guard let rest = progress.rest else { return .finish(.descriptors(descriptors)) }
    return .request(.findInformationRequest(rest))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    guard case .findInformationResponse(let types) = response,
      types.allSatisfy({ progress.cover($0.handle, $0.handle) })
    else { return .fail(.invalidResponse(response.opcode)) }
    descriptors += types
    return firstStep(mtu: mtu)
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    code == .attributeNotFound ? .finish(.descriptors(descriptors)) : .fail(.refused(code, handle: handle))
  }
}

/// Finds the Client Characteristic Configuration descriptor of a characteristic, and writes it (Part G, 4.12.3).
struct SubscriptionWrite: GATTProcedure {
  private let subscription: GATTSubscription
  private var discovery: DescriptorDiscovery
  private var isWriting = false

  init(range: HandleRange?, subscription: GATTSubscription) {
    self.subscription = subscription
    discovery = DescriptorDiscovery(range: range)
  }

  mutating func firstStep(mtu: Int) -> GATTStep { write(after: discovery.firstStep(mtu: mtu)) }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    isWriting ? .finish(.done) : write(after: discovery.nextStep(after: response, mtu: mtu))
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    isWriting
      ? .fail(.refused(code, handle: handle))
      : write(after: discovery.nextStep(afterError: code, handle: handle))
  }

  /// Goes on with the discovery until the descriptor was found.
  private mutating func write(after step: GATTStep) -> GATTStep {
    guard let found = discovery.descriptors.first(where: { $0.uuid == .clientConfiguration }) else {
      if case .finish = step { return .fail(.noClientConfiguration) }
      return step
    }
    isWriting = true
    return .request(.writeRequest(found.handle, subscription.value))
  }
}
