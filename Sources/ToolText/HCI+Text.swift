// SPDX-License-Identifier: GPL-3.0-or-later

public import HCI
import Interfaces
import JSON
import Manifest

extension AdvertisingPDU {
  /// The name that the Core Specification gives the PDU (Volume 6, Part B, 2.3).
  public var text: String {
    switch self {
    case .connectable: "ADV_IND"
    case .directed: "ADV_DIRECT_IND"
    case .scannable: "ADV_SCAN_IND"
    case .nonConnectable: "ADV_NONCONN_IND"
    case .scanResponse: "SCAN_RSP"
    case .extended: "ADV_EXT_IND"
    }
  }
}

extension DataStatus {
  public var text: String {
    switch self {
    case .complete: "complete"
    case .incomplete: "incomplete"
    case .truncated: "truncated"
    }
  }
}

extension PHY {
  public var text: String {
    switch self {
    case .le1M: "1M"
    case .le2M: "2M"
    case .coded: "coded"
    }
  }
}

extension MalformedStructureError.Kind {
  public var text: String {
    switch self {
    case .lengthPastEnd: "lengthPastEnd"
    case .dataAfterEnd: "dataAfterEnd"
    case .wrongSize: "wrongSize"
    }
  }
}
