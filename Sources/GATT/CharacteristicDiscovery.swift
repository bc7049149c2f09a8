// SPDX-License-Identifier: Apache-2.0

/// Finds the characteristics of a service (Core Specification 5.4, Volume 3, Part G, 4.6.1).
struct CharacteristicDiscovery: GATTProcedure {
  private struct Declaration: Equatable, Sendable {
    let handle: UInt16
    let valueHandle: UInt16
    let properties: UInt8
    let uuid: AttributeUUID
  }

  private let range: HandleRange
  private var progress: DiscoveryProgress
  private var declarations: [Declaration] = []

  init(range: HandleRange) {
    self.range = range
    progress = DiscoveryProgress(range)
  }

  mutating func firstStep(mtu: Int) -> GATTStep {
    guard let rest = progress.rest else { return finish() }
    return .request(.readByTypeRequest(rest, type: .characteristic))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    guard case .readByTypeResponse(let values) = response, values.allSatisfy({ add($0) }) else {
      return .fail(.invalidResponse(response.opcode))
    }
    return firstStep(mtu: mtu)
  }

  /// The value of a declaration is properties, handle of the value, UUID (Part G, 3.3.1).
  private mutating func add(_ declaration: AttributeValue) -> Bool {
    var reader = PacketReader(declaration.value[...])
    let properties = reader.readByte()
    let valueHandle = reader.readUInt16()
    guard let uuid = reader.readUUID(), range.contains(valueHandle), valueHandle > declaration.handle,
      progress.cover(declaration.handle, declaration.handle),
      declarations.last.map({ $0.valueHandle < declaration.handle }) ?? true
    else { return false }
    declarations.append(
      Declaration(handle: declaration.handle, valueHandle: valueHandle, properties: properties, uuid: uuid))
    return true
  }

  /// A characteristic ends before the next declaration, the last one with its service.
  private func finish() -> GATTStep {
    let ends = declarations.dropFirst().map { $0.handle - 1 } + [range.end]
    return .finish(
      .characteristics(
        zip(declarations, ends).map { declaration, end in
          GATTCharacteristic(
            declarationHandle: declaration.handle, valueHandle: declaration.valueHandle, endHandle: end,
            properties: declaration.properties, uuid: declaration.uuid)
        }))
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    code == .attributeNotFound ? finish() : .fail(.refused(code, handle: handle))
  }
}
