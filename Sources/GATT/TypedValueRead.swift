// SPDX-License-Identifier: Apache-2.0

/// Reads the first value of a type, wherever the server has it (Core Specification 5.4, Volume 3, Part G, 4.8.2), and its
/// rest when it fills a packet.
struct TypedValueRead: GATTProcedure {
  /// The longest value in a Read By Type Response (Part F, 3.4.4.2).
  private static let valueBytesMax = 253

  private let type: AttributeUUID
  /// Reads the whole value, once its handle is known.
  private var read: ValueRead?

  init(type: AttributeUUID) { self.type = type }

  mutating func firstStep(mtu: Int) -> GATTStep { .request(.readByTypeRequest(.all, type: type)) }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    if let step = read?.nextStep(after: response, mtu: mtu) { return step }
    guard case .readByTypeResponse(let values) = response, let first = values.first else {
      return .fail(.invalidResponse(response.opcode))
    }
    guard first.value.count >= min(mtu - 4, Self.valueBytesMax) else { return .finish(.value(first.value)) }
    var read = ValueRead(handle: first.handle)
    defer { self.read = read }
    return read.firstStep(mtu: mtu)
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    read?.nextStep(afterError: code, handle: handle) ?? .fail(.refused(code, handle: handle))
  }
}
