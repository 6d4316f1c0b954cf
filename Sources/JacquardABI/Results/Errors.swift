import CJacquard
import CLinux
import Jacquard
import JacquardWire

/// Passes an error to C; NULL for none.
func withCError<Result>(_ error: JacquardError?, _ body: (UnsafePointer<jacquard_error>?) -> Result) -> Result {
  guard let error else { return body(nil) }
  let strings = CStrings()
  var copy = jacquard_error()
  copy.code = error.code.rawValue
  copy.system_errno = error.systemErrno
  copy.att_code = Int32(error.attCode)
  copy.tag_status = Int32(truncatingIfNeeded: error.tagStatus)
  copy.tag_status_name = error.tagStatus == 0 ? nil : strings(TagStatus(rawValue: error.tagStatus).constantName)
  copy.dbus_name = strings(error.dbusName)
  copy.message = strings(error.message)
  copy.advice = strings(error.advice)
  return withExtendedLifetime(strings) { body(&copy) }
}

extension TagStatus {
  /// "BAD_PARAMETER"
  fileprivate var constantName: String {
    name.map { String($0.uppercased().map { $0 == " " ? "_" : $0 }) } ?? "STATUS_\(rawValue)"
  }
}

private let texts = StaticCStrings(
  [(0, "Success.")] + JacquardError.Code.allCases.map { ($0.rawValue, $0.text) },
  fallback: "Unknown error.")

private let names = StaticCStrings(
  [(0, "JACQUARD_OK")] + JacquardError.Code.allCases.map { ($0.rawValue, $0.constantName) },
  fallback: "JACQUARD_ERROR_UNKNOWN")

extension JacquardError.Code {
  /// "JACQUARD_ERROR_NO_ADAPTER"
  fileprivate var constantName: String {
    if self == .internalError { return "JACQUARD_ERROR_INTERNAL" }
    return "JACQUARD_ERROR_"
      + "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
  }
}

@_cdecl("jacquard_status_text") @implementation
public func jacquard_status_text(_ status: CInt) -> UnsafePointer<CChar>? { texts[status] }

@_cdecl("jacquard_status_name") @implementation
public func jacquard_status_name(_ status: CInt) -> UnsafePointer<CChar>? { names[status] }

/// The last error of each thread, in thread-local memory.
enum LastError {
  private static let room = 480
  private static let message = MemoryLayout<jacquard_error>.stride
  private static let advice = message + room

  /// Stores the error and returns its status.
  static func keep(_ error: JacquardError) -> CInt {
    guard let memory = linux_thread_memory(advice + room) else { return error.code.rawValue }
    var copy = jacquard_error()
    copy.code = error.code.rawValue
    copy.system_errno = error.systemErrno
    copy.message = write(error.message, to: memory + message)
    copy.advice = write(error.advice, to: memory + advice)
    memory.storeBytes(of: copy, as: jacquard_error.self)
    return copy.code
  }

  /// Truncates to the whole characters that fit.
  private static func write(_ text: String, to memory: UnsafeMutableRawPointer) -> UnsafePointer<CChar> {
    var count = 0
    for scalar in text.unicodeScalars {
      let bytes = UTF8.encode(scalar).map(Array.init) ?? []
      guard count + bytes.count < room else { break }
      for byte in bytes {
        memory.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count += 1
      }
    }
    memory.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
    return UnsafePointer(memory.assumingMemoryBound(to: CChar.self))
  }

  /// Nil before the first failure.
  static var pointer: UnsafePointer<jacquard_error>? {
    guard let memory = linux_thread_memory(advice + room) else { return nil }
    let error = memory.assumingMemoryBound(to: jacquard_error.self)
    return error.pointee.code == 0 ? nil : UnsafePointer(error)
  }
}

@_cdecl("jacquard_last_error") @implementation
public func jacquard_last_error() -> UnsafePointer<jacquard_error>? { LastError.pointer }
