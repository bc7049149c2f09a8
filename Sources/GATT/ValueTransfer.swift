// SPDX-License-Identifier: Apache-2.0

/// Reads a value, and its rest for as long as the parts fill a packet (Core Specification 5.4, Volume 3, Part G,
/// 4.8.3).
struct ValueRead: GATTProcedure {
  private let handle: UInt16
  private var value: [UInt8] = []

  init(handle: UInt16) { self.handle = handle }

  mutating func firstStep(mtu: Int) -> GATTStep { .request(.readRequest(handle)) }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    let part: [UInt8]
    switch response {
    case .readResponse(let bytes), .readBlobResponse(let bytes): part = bytes
    default: return .fail(.invalidResponse(response.opcode))
    }
    value += part
    guard value.count <= GATTClient.valueBytesMax else {
      return .fail(.valueTooLong(byteCount: value.count))
    }
    guard part.count >= mtu - 1, value.count < GATTClient.valueBytesMax else { return .finish(.value(value)) }
    return .request(.readBlobRequest(handle, offset: UInt16(value.count)))
  }

  /// A value that just fills its last packet has no rest, which servers say in either of two ways (Part F, 3.4.4.5).
  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    guard !value.isEmpty, code == .attributeNotLong || code == .invalidOffset else {
      return .fail(.refused(code, handle: handle))
    }
    return .finish(.value(value))
  }
}

/// Writes a value, in parts when it does not fit into a packet (Part G, 4.9.3 to 4.9.5).
///
/// The server repeats each part; if it repeats other bytes, the parts are discarded.
struct ValueWrite: GATTProcedure {
  private enum State: Equatable, Sendable {
    case writing
    /// The part after this many bytes, of this length, was sent.
    case preparing(offset: Int, byteCount: Int)
    case executing
    case discarding(GATTError)
  }

  private let handle: UInt16
  private let value: [UInt8]
  private var state = State.writing

  init(handle: UInt16, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  mutating func firstStep(mtu: Int) -> GATTStep {
    guard value.count <= GATTClient.valueBytesMax else {
      return .fail(.valueTooLong(byteCount: value.count))
    }
    return value.count <= mtu - 3 ? .request(.writeRequest(handle, value)) : prepare(from: 0, mtu: mtu)
  }

  private mutating func prepare(from offset: Int, mtu: Int) -> GATTStep {
    let part = value[offset...].prefix(mtu - 5)
    guard !part.isEmpty else {
      state = .executing
      return .request(.executeWriteRequest(isWriting: true))
    }
    state = .preparing(offset: offset, byteCount: part.count)
    return .request(.prepareWriteRequest(handle, offset: UInt16(offset), Array(part)))
  }

  private mutating func discard(_ error: GATTError) -> GATTStep {
    state = .discarding(error)
    return .request(.executeWriteRequest(isWriting: false))
  }

  mutating func nextStep(after response: ATTPacket, mtu: Int) -> GATTStep {
    switch state {
    case .writing, .executing: return .finish(.done)
    case .discarding(let error): return .fail(error)
    case .preparing(let offset, let byteCount):
      let part = Array(value[offset..<offset + byteCount])
      guard response == .prepareWriteResponse(handle, offset: UInt16(offset), part) else {
        return discard(.valueWasAltered(handle: handle))
      }
      return prepare(from: offset + byteCount, mtu: mtu)
    }
  }

  mutating func nextStep(afterError code: ATTErrorCode, handle: UInt16) -> GATTStep {
    switch state {
    case .writing, .executing: .fail(.refused(code, handle: handle))
    case .discarding(let error): .fail(error)
    case .preparing(let offset, _):
      // Nothing was prepared yet when the first part is refused.
      offset == 0 ? .fail(.refused(code, handle: handle)) : discard(.refused(code, handle: handle))
    }
  }

  /// The parts that the server did get must not be there when another value is written.
  mutating func nextStep(afterMalformed error: ATTPacketError) -> GATTStep {
    guard case .preparing = state else { return .fail(.malformedResponse(error)) }
    return discard(.malformedResponse(error))
  }
}
