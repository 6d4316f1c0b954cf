import Foundation
import JacquardTags

/// The importance of a log message.
public enum LogLevel: String, CaseIterable {
  /// Details.
  case debug = "DEBUG"
  /// Events.
  case info = "INFO"
  /// Possible problems.
  case warning = "WARNING"
  /// Problems.
  case error = "ERROR"
  /// Does not occur.
  case assertion = "ASSERTION"
  /// Does not occur.
  case preconditionFailure = "PRECONDITIONFAILURE"

  init(_ level: JacquardTags.LogLevel) {
    switch level {
    case .warning: self = .warning
    case .info: self = .info
    default: self = .debug
    }
  }
}

/// Receives log messages, on the library's thread: it must not wait.
public protocol Logger {
  /// Receives one message.
  func log(level: LogLevel, file: StaticString, line: UInt, function: String, message: () -> String)
  /// A message of this level.
  func debug(file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
  /// A message of this level.
  func info(file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
  /// A message of this level.
  func warning(file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
  /// A message of this level.
  func error(file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
  /// A message of this level.
  func assert(file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
  /// A message of this level. Unlike on iOS, the program continues.
  func preconditionAssertFailure(
    file: StaticString, function: String, line: UInt, _ message: @autoclosure () -> String)
}

extension Logger {
  /// A message of this level.
  public func debug(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .debug, file: file, line: line, function: function, message: message) }

  /// A message of this level.
  public func info(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .info, file: file, line: line, function: function, message: message) }

  /// A message of this level.
  public func warning(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .warning, file: file, line: line, function: function, message: message) }

  /// A message of this level.
  public func error(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .error, file: file, line: line, function: function, message: message) }

  /// A message of this level.
  public func assert(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .assertion, file: file, line: line, function: function, message: message) }

  /// A message of this level.
  public func preconditionAssertFailure(
    file: StaticString = #file, function: String = #function, line: UInt = #line, _ message: @autoclosure () -> String
  ) { log(level: .preconditionFailure, file: file, line: line, function: function, message: message) }
}

/// Writes log messages to the standard error.
public class PrintLogger: Logger {
  private let levels: [LogLevel]
  private let includesSource: Bool

  /// - Parameters:
  ///   - logLevels: the levels to write
  ///   - includeSourceDetails: whether the place in the source is written too
  ///   - includeFileLogs: ignored: redirect the standard error into a file
  public init(logLevels: [LogLevel], includeSourceDetails: Bool, includeFileLogs: Bool = false) {
    (levels, includesSource) = (logLevels, includeSourceDetails)
  }

  /// Writes one message.
  public func log(level: LogLevel, file: StaticString, line: UInt, function: String, message: () -> String) {
    guard levels.contains(level) else { return }
    let place = includesSource ? " \(file):\(line) \(function)" : ""
    FileHandle.standardError.write(Data("\(level.rawValue)\(place): \(message())\n".utf8))
  }
}

/// Replaces the logger, which by default writes warnings and errors. A manager passes the library's messages to it, all
/// levels if it was created after this call, else warnings.
public func setGlobalJacquardSDKLogger(_ logger: Logger) {
  GlobalLogger.lock.withLock { (GlobalLogger.logger, GlobalLogger.isReplaced) = (logger, true) }
}

enum GlobalLogger {
  static let lock = NSLock()
  nonisolated(unsafe) static var logger: Logger = PrintLogger(
    logLevels: [.warning, .error], includeSourceDetails: false)
  nonisolated(unsafe) static var isReplaced = false

  static var current: Logger { lock.withLock { logger } }

  static var level: JacquardTags.LogLevel { lock.withLock { isReplaced } ? .debug : .warning }
}
