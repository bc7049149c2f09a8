// SPDX-License-Identifier: GPL-3.0-or-later

/// One line of `match-cases.jsonl`: a filter of another implementation, an advertisement, and that implementation's
/// answer.
struct MatchCase: Decodable {
  enum Answer: Equatable {
    case matches
    case differs
    /// The filter itself is invalid.
    case rejected
  }

  /// Data behind a company identifier or a service UUID. Identifiers stand as they were written, valid or not.
  struct DataClause: Decodable {
    var key: String
    var prefix: String?
    var mask: String?

    enum CodingKeys: CodingKey { case companyId, uuid, prefix, mask }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      if let number = try? fields.decode(Int.self, forKey: .companyId) {
        key = String(number)
      } else {
        // A text stays one: "17" and 17 are not the same to every reader.
        key = "\"\(try fields.decode(String.self, forKey: fields.contains(.uuid) ? .uuid : .companyId))\""
      }
      prefix = try fields.decodeIfPresent(String.self, forKey: .prefix)
      mask = try fields.decodeIfPresent(String.self, forKey: .mask)
    }
  }

  /// Clauses that a descriptor has a counterpart for, and the names of all that are there.
  struct Filter: Decodable {
    var namePrefix: String?
    var nameSubstring: String?
    var services: [String]?
    var servicesAny: [String]?
    var serviceDataUuidsAny: [String]?
    var manufacturerData: [DataClause]?
    var serviceData: [DataClause]?
    var members: Set<String>

    enum CodingKeys: CodingKey {
      case namePrefix, nameSubstring, services, servicesAny, serviceDataUuidsAny, manufacturerData,
        serviceData
    }

    init(from decoder: any Decoder) throws {
      let fields = try decoder.container(keyedBy: CodingKeys.self)
      namePrefix = try fields.decodeIfPresent(String.self, forKey: .namePrefix)
      nameSubstring = try fields.decodeIfPresent(String.self, forKey: .nameSubstring)
      services = try fields.decodeIfPresent([String].self, forKey: .services)
      servicesAny = try fields.decodeIfPresent([String].self, forKey: .servicesAny)
      serviceDataUuidsAny = try fields.decodeIfPresent([String].self, forKey: .serviceDataUuidsAny)
      manufacturerData = try fields.decodeIfPresent([DataClause].self, forKey: .manufacturerData)
      serviceData = try fields.decodeIfPresent([DataClause].self, forKey: .serviceData)
      members = Set(try decoder.container(keyedBy: AnyKey.self).allKeys.map(\.stringValue))
    }
  }

  struct AnyKey: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  let id: String
  let filter: Filter
  let advertisement: RecordedFields
  let answer: Answer

  enum CodingKeys: CodingKey { case id, filter, advertisement, expect }

  init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(String.self, forKey: .id)
    filter = try fields.decode(Filter.self, forKey: .filter)
    advertisement = try fields.decode(RecordedFields.self, forKey: .advertisement)
    let matches = try? fields.decode(Bool.self, forKey: .expect)
    answer = matches.map { $0 ? .matches : .differs } ?? .rejected
  }
}
