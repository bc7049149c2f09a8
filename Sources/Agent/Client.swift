// SPDX-License-Identifier: GPL-3.0-or-later

import Varlink

/// One connection: who is there, its octets, and the stream of replies it is being sent.
struct Client: Sendable {
  let id: ClientID
  let peer: Peer
  /// As the manifest has it; another one may change them.
  var rights: Rights
  var connection: ServerConnection
  var activity = Activity.none
  /// The next reply of the activity, which found no room yet.
  var pending: [UInt8]?

  init(_ id: ClientID, _ peer: Peer, _ rights: Rights, _ limits: ConnectionLimits) {
    self.id = id
    self.peer = peer
    self.rights = rights
    connection = ServerConnection(limits: limits)
  }
}

/// What a client's call in progress still has to say.
enum Activity: Sendable {
  /// No call is in progress.
  case none
  case sightings(SightingsList)
  case watch(Watch)
  case explanations(ExplanationList)
  case trials(TrialList)
  case capture(CaptureStream)
  case suggestion(Listening)
  /// The suggestions themselves, once the device was listened to.
  case suggestions([[UInt8]])
  /// Waits for the manifest to be read.
  case reload
  /// Waits for the registry to be read.
  case deferred(DeferredCall)
  /// Waits for a person, or the disk.
  case awaiting(AwaitedAnswer)
  case session(SessionStream)
  case appAccessories(AppAccessoryList)
  case advertisements(AdvertisementStream)
  case requests(RequestWatch)
  case opened(OpenedRequest)
  case accessories(AccessoryList)
  case registry(RegistryList)
  case export(ExportList)
}
