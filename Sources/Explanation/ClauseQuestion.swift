// SPDX-License-Identifier: GPL-3.0-or-later

import DeviceLines
import Discovery
import HCI
import Interfaces
import Manifest

/// Asks the clauses of a descriptor one by one, slowly and with all they saw. The compiled matcher gives the same
/// answers fast; tests compare the two.
enum ClauseQuestion {
  /// In the order of the manifest's keys; clauses that are not there are not asked.
  static func answers(
    _ descriptor: DiscoveryDescriptor, _ structures: [ObservedStructure], of address: DeviceAddress
  ) -> [ClauseAnswer] {
    var answers: [ClauseAnswer] = []
    if let company = descriptor.companyIdentifier {
      answers.append(companyAnswer(company, structures))
      if let blob = descriptor.manufacturerData { answers.append(blobAnswer(blob, of: company, structures)) }
    }
    if let uuid = descriptor.serviceUUID {
      answers.append(serviceAnswer(uuid, structures))
      if let blob = descriptor.serviceData { answers.append(blobAnswer(blob, of: uuid, structures)) }
    }
    if let name = descriptor.nameSubstring {
      answers.append(nameAnswer(name, descriptor.nameCompareOptions, structures))
    }
    if let prefix = descriptor.addressPrefix {
      answers.append(
        ClauseAnswer(prefix, holds: address.lifetime == .durable && prefix.begins(address.bits)))
    }
    return answers
  }

  private static func companyAnswer(_ wanted: UInt16, _ structures: [ObservedStructure]) -> ClauseAnswer {
    ClauseAnswer(
      .companyIdentifier, wanted: .company(wanted),
      structures.compactMap { structure in
        guard case .manufacturerData(let company, _) = structure.value else { return nil }
        return structure.compared(.company(company), holds: company == wanted)
      })
  }

  private static func blobAnswer(
    _ blob: MaskedBytes, of wanted: UInt16, _ structures: [ObservedStructure]
  ) -> ClauseAnswer {
    ClauseAnswer(
      .manufacturerDataBlob, wanted: .bytes(blob.blob), mask: blob.mask,
      structures.compactMap { structure in
        guard case .manufacturerData(wanted, let payload) = structure.value else { return nil }
        return structure.compared(payload, with: blob)
      })
  }

  private static func serviceAnswer(_ wanted: BluetoothUUID, _ structures: [ObservedStructure])
    -> ClauseAnswer
  {
    ClauseAnswer(
      .serviceUUID, wanted: .uuid(wanted),
      structures.flatMap { structure in
        structure.value.services.map { structure.compared(.uuid($0), holds: $0 == wanted) }
      })
  }

  private static func blobAnswer(
    _ blob: MaskedBytes, of wanted: BluetoothUUID, _ structures: [ObservedStructure]
  ) -> ClauseAnswer {
    ClauseAnswer(
      .serviceDataBlob, wanted: .bytes(blob.blob), mask: blob.mask,
      structures.compactMap { structure in
        guard case .serviceData(wanted, let payload) = structure.value else { return nil }
        return structure.compared(payload, with: blob)
      })
  }

  private static func nameAnswer(
    _ wanted: [UInt8], _ options: CompareOptions, _ structures: [ObservedStructure]
  ) -> ClauseAnswer {
    let nameOptions = NameOptions(rawValue: UInt32(options.rawValue))
    return ClauseAnswer(
      .nameSubstring, wanted: .name(AirText(wanted)), options: options,
      structures.compactMap { structure in
        guard case .name(let name) = structure.value else { return nil }
        let holds = NameClause.matches(name.span.rawBytes, wanted.span.rawBytes, nameOptions)
        return structure.compared(.name(AirText(name)), holds: holds)
      })
  }
}

extension ObservedStructure {
  fileprivate func compared(_ value: ClauseAnswer.Value, holds: Bool) -> ClauseAnswer.Comparison {
    ClauseAnswer.Comparison(part: part, offset: offset, type: type, value: value, masked: nil, holds: holds)
  }

  fileprivate func compared(_ payload: [UInt8], with blob: MaskedBytes) -> ClauseAnswer.Comparison {
    let masked = MaskedComparison(payload, blob)
    return ClauseAnswer.Comparison(
      part: part, offset: offset, type: type, value: .bytes(payload), masked: masked, holds: masked.holds)
  }
}
