/// Notifications that a tag sends many times per second, decoded in place.
///
/// Only the usual form of these three is decoded here. For anything else, such as a repeated or unknown field, the
/// result is nil, and the general decoder is used. The processor's caches are cold for each notification, so the cost
/// depends on the amount of code that runs: the general decoder alone doubled the time per notification at 60 per
/// second.
public enum FrequentNotification: Sendable {
  case gesture(UInt32)
  case touch(TouchFrame)
  case battery(level: UInt32, chargingStatus: UInt32)

  /// Fails unless the packet is a gesture, touch data or a battery level in its usual form.
  public init?(packet: UnsafeRawBufferPointer) {
    var fields = PlainFields(packet)
    var payload: (number: UInt32, bytes: UnsafeRawBufferPointer)?
    while let field = fields.next() {
      switch field {
      case .number(1...3, _): continue
      case .bytes(let number, let bytes):
        guard payload == nil else { return nil }
        payload = (number, bytes)
      default: return nil
      }
    }
    guard fields.isComplete, let payload else { return nil }
    switch payload.number {
    case 121: self.init(battery: payload.bytes)
    case 917: self.init(data: payload.bytes)
    default: return nil
    }
  }

  private init?(battery bytes: UnsafeRawBufferPointer) {
    var fields = PlainFields(bytes)
    guard case .number(1, let level)? = fields.next(), case .number(2, let chargingStatus)? = fields.next(),
      fields.next() == nil, fields.isComplete
    else { return nil }
    self = .battery(level: level, chargingStatus: chargingStatus)
  }

  private init?(data bytes: UnsafeRawBufferPointer) {
    var fields = PlainFields(bytes)
    guard case .bytes(let kind, let content)? = fields.next() else { return nil }
    // The tag's clock may follow.
    if let more = fields.next() {
      guard case .number(3, _) = more, fields.next() == nil else { return nil }
    }
    guard fields.isComplete else { return nil }
    switch kind {
    case 1: self.init(inference: content)
    case 2: self.init(touch: content)
    default: return nil
    }
  }

  private init?(inference bytes: UnsafeRawBufferPointer) {
    var fields = PlainFields(bytes)
    guard case .number(1, let event)? = fields.next(), fields.next() == nil, fields.isComplete else { return nil }
    self = .gesture(event)
  }

  private init?(touch bytes: UnsafeRawBufferPointer) {
    var fields = PlainFields(bytes)
    guard case .number(4, let sequence)? = fields.next(), case .bytes(7, let scaled)? = fields.next(),
      fields.next() == nil, fields.isComplete, let frame = TouchFrame(sequence: sequence, scaled: scaled)
    else { return nil }
    self = .touch(frame)
  }
}
