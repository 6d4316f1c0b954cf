import Foundation
import JacquardTags

/// A kind of notification for `subscribe()`.
public protocol NotificationSubscription: NotificationParser {
  /// The value that subscribers get.
  associatedtype Notification
  /// The value of a notification; nil: it is of another kind. The argument is a value of one of the types below, or,
  /// for subscriptions that a program defines, also each serialised notification as `Data`.
  func extract(from outerProto: Any) -> Notification?
}

/// Not used: the library parses notifications.
public protocol NotificationParser {
  /// Throws an error.
  func parseNotification(_ packet: Data) throws -> V2ProtocolNotificationInjectable
}

extension NotificationParser {
  /// Throws an error: the library parses notifications.
  public func parseNotification(_ packet: Data) throws -> V2ProtocolNotificationInjectable {
    throw JacquardCommandError.malformedResponse
  }
}

/// A notification of the protocol.
public protocol V2ProtocolNotificationInjectable {}

/// Subscriptions of this module, which need no serialised notifications.
protocol ServedSubscription: NotificationSubscription {}

extension ServedSubscription {
  /// The notification, if it is of this kind.
  public func extract(from outerProto: Any) -> Notification? { outerProto as? Notification }
}

/// Battery levels that the tag reports by itself.
public struct BatteryStatusNotificationSubscription: ServedSubscription {
  /// The values of this subscription.
  public typealias Notification = BatteryStatus
  /// Subscribes to all of them.
  public init() {}
}

/// Gestures.
public struct GestureNotificationSubscription: ServedSubscription {
  /// The values of this subscription.
  public typealias Notification = Gesture
  /// Subscribes to all of them.
  public init() {}
}

/// Touch samples, while the gear is in continuous mode.
public struct ContinuousTouchNotificationSubscription: ServedSubscription {
  /// The values of this subscription.
  public typealias Notification = TouchData
  /// Subscribes to all of them.
  public init() {}
}

/// Modules that the tag has loaded.
public struct ActivateModuleNotificationSubscription: ServedSubscription {
  /// The values of this subscription.
  public typealias Notification = ModuleStatus
  /// Subscribes to all of them.
  public init() {}
}

/// A gesture. The other numbers that the library knows are not delivered, nor are possible copies of a gesture.
public enum Gesture: Int, CaseIterable {
  /// No gesture was recognised.
  case noInference = 0
  /// Two taps.
  case doubleTap = 1
  /// A stroke towards the body.
  case brushIn = 2
  /// A stroke away from the body.
  case brushOut = 3
  /// The hand covers the gear.
  case shortCover = 7
  /// A stroke upwards.
  case brushUp = 13
  /// A stroke downwards.
  case brushDown = 14

  /// The name for users.
  public var name: String {
    switch self {
    case .noInference: "No Gesture"
    case .doubleTap: "Double Tap"
    case .brushIn: "Brush In"
    case .brushOut: "Brush Out"
    case .shortCover: "Cover"
    case .brushUp: "Brush Up"
    case .brushDown: "Brush Down"
    }
  }

  init?(_ gesture: JacquardTags.Gesture) {
    guard !gesture.mayBeCopy else { return nil }
    self.init(rawValue: Int(gesture.type.rawValue))
  }
}

/// A touch sample.
public struct TouchData {
  /// Twelve numbers.
  public typealias Lines = (
    UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8, UInt8
  )

  /// Increases during one touch, with gaps; a smaller number starts a new touch.
  public var sequence: UInt32
  /// Proximity of the hand.
  public var proximity: UInt32
  /// Intensity of the twelve lines.
  public var lines: Lines

  /// The lines as an array.
  public var linesArray: [UInt8] { withUnsafeBytes(of: lines) { Array($0) } }

  /// No touch.
  public static var empty: TouchData {
    TouchData(sequence: 0, proximity: 0, lines: (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  init(_ touch: Touch) {
    self.init(sequence: touch.sequence, proximity: UInt32(touch.proximity), lines: touch.lines)
  }

  init(sequence: UInt32, proximity: UInt32, lines: Lines) {
    (self.sequence, self.proximity, self.lines) = (sequence, proximity, lines)
  }
}
