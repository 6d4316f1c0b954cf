/// The result of a request for a well-known name.
public enum NameRequest: UInt32, Sendable {
  case primaryOwner = 1
  case queued = 2
  case taken = 3
  case alreadyOwner = 4
}
