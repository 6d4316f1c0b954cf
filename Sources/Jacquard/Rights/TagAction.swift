import JacquardWire

/// An action of a program on a tag, and what it needs. In the service every way to a tag passes through this table. A
/// program that has the link itself checks the device only: no other program shares its link.
///
/// | action | device | user | bond |
/// | --- | --- | --- | --- |
/// | forget a record, release the tag | none | one that may use the socket | no |
/// | link | a tag (`TagEvidence`) | the same | if the tag is bound for the program |
/// | bind | a tag | the same; one program at a time | it is created |
/// | unbind | a tag | the same | it is removed |
/// | requests, raw packets | a link, which only a tag has | the same | that of the link |
///
/// The last column of the table is `reservation`.
enum TagAction {
  case bind
  case unbind
  case request(WireRequest)
  case rawPacket

  /// The reservation that the action needs; nil: none. While another program has reserved anything, an action that
  /// needs one is refused.
  var reservation: ReservationKind? {
    switch self {
    case .bind, .unbind: .unbinding
    case .rawPacket: .download
    case .request(let request): request.reservation
    }
  }
}

extension WireRequest {
  /// Reading, configuring and playing lights need no reservation.
  fileprivate var reservation: ReservationKind? {
    switch command {
    case .dfuStatus, .collectionStatus, .collectionList: nil
    case .collectionStart: isStreamStart ? .stream : .recording
    case .collectionData: .download
    case .collectionErase, .collectionEraseAll: .erasure
    case .loadModule, .unloadModule, .deleteModule: .modules
    case .requestReboot: .firmware
    default:
      switch command.domain {
      case Command.hello.domain, Command.gearInfo.domain: nil
      case Command.collectionStatus.domain: .recording
      // Firmware, and domains of which this library knows no command, such as that of the vendor's developers.
      default: .firmware
      }
    }
  }
}
