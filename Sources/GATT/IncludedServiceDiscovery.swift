// SPDX-License-Identifier: Apache-2.0

/// Finds the services that a service includes (Core Specification 5.4, Volume 3, Part G, 4.5.1).
///
/// A declaration has space for a short UUID only; a long one is read from the declaration of the included service.
struct IncludedServiceDiscovery: GATTProcedure {
  private var progress: DiscoveryProgress
  private var services: [GATTService] = []
  /// Included services whose UUID is still to be read, the next one last.
  private var unnamed: [HandleRange] = []

  init(range: HandleRange) { progress = DiscoveryProgress(range) }

  mutating func firstStep(mtu: Int) -> GATTStep {
    if let service = unnamed.last { return .request(.readRequest(service.start)) }
    guard let rest = progress.rest else { return finish() }
    return .request(.readByTypeRequest(rest, type: .includedService))
  }

  private func finish() -> GATTStep {
    .finish(.services(services.sorted { $0.range.start < $1.range.start }))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    let isValid: Bool
    switch response {
    case .readByTypeResponse(let values): isValid = add(values)
    case .readResponse(let value): isValid = addName(value)
    default: isValid = false
    }
    return isValid ? firstStep(mtu: mtu) : .fail(.invalidResponse(response.opcode))
  }

  private mutating func add(_ declarations: [AttributeValue]) -> Bool {
    for declaration in declarations {
      var reader = PacketReader(declaration.value[...])
      guard progress.cover(declaration.handle, declaration.handle), let range = reader.readRange() else {
        return false
      }
      if reader.remainingByteCount == 0 {
        unnamed.insert(range, at: 0)
      } else {
        guard let uuid = reader.readUUID() else { return false }
        services.append(GATTService(range: range, uuid: uuid))
      }
    }
    return true
  }

  private mutating func addName(_ value: [UInt8]) -> Bool {
    guard let range = unnamed.popLast(), let uuid = AttributeUUID(littleEndian: value) else { return false }
    services.append(GATTService(range: range, uuid: uuid))
    return true
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    guard unnamed.isEmpty, code == .attributeNotFound else { return .fail(.refused(code, handle: handle)) }
    return finish()
  }
}
