// SPDX-License-Identifier: Apache-2.0

/// Finds all primary services (Core Specification 5.4, Volume 3, Part G, 4.4.1).
struct ServiceDiscovery: GATTProcedure {
  private var progress = DiscoveryProgress(.all)
  private var services: [GATTService] = []

  mutating func firstStep(mtu: Int) -> GATTStep {
    guard let rest = progress.rest else { return .finish(.services(services)) }
    return .request(.readByGroupTypeRequest(rest, type: .primaryService))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    guard case .readByGroupTypeResponse(let groups) = response else {
      return .fail(.invalidResponse(response.opcode))
    }
    for group in groups {
      guard progress.cover(group.range.start, group.range.end),
        let uuid = AttributeUUID(littleEndian: group.value)
      else { return .fail(.invalidResponse(.readByGroupTypeResponse)) }
      services.append(GATTService(range: group.range, uuid: uuid))
    }
    return firstStep(mtu: mtu)
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    code == .attributeNotFound ? .finish(.services(services)) : .fail(.refused(code, handle: handle))
  }
}

/// Finds the primary services with certain UUIDs, one UUID after the other (Part G, 4.4.2).
struct ServiceSearch: GATTProcedure {
  private var uuids: [AttributeUUID]
  private var progress = DiscoveryProgress(.all)
  private var services: [GATTService] = []

  init(uuids: [AttributeUUID]) {
    var known: Set<AttributeUUID> = []
    self.uuids = uuids.reversed().filter { known.insert($0).inserted }
  }

  mutating func firstStep(mtu: Int) -> GATTStep {
    guard let uuid = uuids.last else {
      return .finish(.services(services.sorted { $0.range.start < $1.range.start }))
    }
    guard let rest = progress.rest else { return stepToNextUUID(mtu: mtu) }
    return .request(.findByTypeValueRequest(rest, type: 0x2800, value: uuid.littleEndianBytes))
  }

  private mutating func stepToNextUUID(mtu: Int) -> GATTStep {
    uuids.removeLast()
    progress = DiscoveryProgress(.all)
    return firstStep(mtu: mtu)
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    guard case .findByTypeValueResponse(let ranges) = response, let uuid = uuids.last else {
      return .fail(.invalidResponse(response.opcode))
    }
    for range in ranges {
      guard progress.cover(range.start, range.end) else {
        return .fail(.invalidResponse(.findByTypeValueResponse))
      }
      services.append(GATTService(range: range, uuid: uuid))
    }
    return firstStep(mtu: mtu)
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    guard code == .attributeNotFound else { return .fail(.refused(code, handle: handle)) }
    return stepToNextUUID(mtu: 0)
  }
}
