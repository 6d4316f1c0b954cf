import CJacquard
import CLinux
import Jacquard

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
