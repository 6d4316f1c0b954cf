import Jacquard

/// Runs the body of an exported function that acts on a handle, and converts the error that it throws into a status and
/// the thread's last error.
func on<Object: HandleObject>(
  _ handle: OpaquePointer?, _ type: Object.Type = Object.self, _ body: (Object) throws -> CInt
) -> CInt {
  status {
    guard let object = try Handles.find(try required(handle, "The handle"), as: Object.self) else {
      throw JacquardError(.invalidHandle, JacquardError.Code.invalidHandle.text)
    }
    return try body(object)
  }
}

func status(_ body: () throws -> CInt) -> CInt {
  do {
    return try body()
  } catch {
    return LastError.keep(JacquardError(thrown: error))
  }
}

extension JacquardError {
  /// Converts the error of a closure, because the compiler does not infer its type. `Jacquard` only throws
  /// `JacquardError`.
  init(thrown error: any Error) {
    self = error as? JacquardError ?? JacquardError(.internalError, "\(error)")
  }
}

/// The value of an argument that must not be NULL.
func required<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw JacquardError.invalid("\(name) is NULL.") }
  return value
}
