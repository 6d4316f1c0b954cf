import JacquardWire

/// A gesture as delivered.
public struct GestureEvent: Equatable, Sendable {
  public let gesture: Gesture
  /// bluetoothd may have signalled the previous gesture again for another program's subscription (`CopyFilter`).
  public let mayBeCopy: Bool

  init(_ gesture: Gesture, mayBeCopy: Bool) {
    self.gesture = gesture
    self.mayBeCopy = mayBeCopy
  }
}
