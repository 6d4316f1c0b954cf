import CJacquard

/// Objects that the library keeps as `user_data` until it calls `destroy`. A subclass holds immutable values and a
/// lock, because callbacks run on the library's thread.
class Context: @unchecked Sendable {
  /// Receives the struct of an event.
  func receive(_ event: UnsafeRawPointer) {}

  /// Receives the only result, or an error.
  func complete(_ answer: Answer, _ error: JacquardError?) {}

  /// Receives progress. Returns 0 to continue.
  func progress(_ event: UnsafeRawPointer) -> Int32 { 0 }

  /// The object to which a registration belongs has ended.
  func finish(_ error: JacquardError?) {}

  /// The library has released this object: no other function is called after this one.
  func ended() {}

  /// A reference for the library, which it releases with `release`.
  final func retained() -> UnsafeMutableRawPointer {
    Unmanaged<Context>.passRetained(self).toOpaque()
  }
}

/// The result of a command: a struct, or an array of pointers to structs.
struct Answer {
  let pointer: UnsafeRawPointer?
  var count = 1

  func value<C>(_ type: C.Type = C.self) -> C? {
    pointer?.assumingMemoryBound(to: C.self).pointee
  }

  func values<C>(_ type: C.Type = C.self) -> [C] {
    guard let pointers = pointer?.assumingMemoryBound(to: UnsafePointer<C>?.self) else { return [] }
    return (0..<count).compactMap { pointers[$0]?.pointee }
  }
}

/// The `destroy` of every registration.
var release: jacquard_destroy_callback {
  { context in
    guard let context else { return }
    Unmanaged<Context>.fromOpaque(context).takeRetainedValue().ended()
  }
}

// The bodies of callbacks. Callbacks themselves are literals, `{ receive($0, $1) }`, so that they have the types of the
// header.

func receive<C>(_ event: UnsafePointer<C>?, _ context: UnsafeMutableRawPointer?) {
  guard let event, let context else { return }
  Unmanaged<Context>.fromOpaque(context)._withUnsafeGuaranteedRef { $0.receive(event) }
}

func complete<C>(
  _ result: UnsafePointer<C>?, _ error: UnsafePointer<jacquard_error>?, _ context: UnsafeMutableRawPointer?
) {
  complete(Answer(pointer: UnsafeRawPointer(result)), error, context)
}

func complete(_ answer: Answer, _ error: UnsafePointer<jacquard_error>?, _ context: UnsafeMutableRawPointer?) {
  guard let context else { return }
  Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().complete(answer, JacquardError(error))
}

func complete(_ error: UnsafePointer<jacquard_error>?, _ context: UnsafeMutableRawPointer?) {
  complete(Answer(pointer: nil), error, context)
}

func progress<C>(_ event: UnsafePointer<C>?, _ context: UnsafeMutableRawPointer?) -> Int32 {
  guard let event, let context else { return 0 }
  return Unmanaged<Context>.fromOpaque(context).takeUnretainedValue().progress(event)
}

/// Registers a context with a function of the library. A function that fails does not release it.
func register(
  _ context: Context, _ function: (UnsafeMutableRawPointer) throws(JacquardError) -> Int32
) throws(JacquardError) {
  let pointer = context.retained()
  do throws(JacquardError) {
    try check(try function(pointer))
  } catch {
    Unmanaged<Context>.fromOpaque(pointer).release()
    throw error
  }
}

/// The result of a function that can fail.
@discardableResult
func check(_ status: Int32) throws(JacquardError) -> Int32 {
  guard status < 0 else { return status }
  throw JacquardError.last
}
