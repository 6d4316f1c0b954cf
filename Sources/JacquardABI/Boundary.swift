import Jacquard

/// Runs the body of an exported function that acts on a handle, and turns what it throws into a status.
func on<Object: HandleObject>(
  _ handle: OpaquePointer?, _ type: Object.Type = Object.self, _ body: (Object) throws -> CInt
) -> CInt {
  guard let handle else { return JacquardError.Code.invalidArgument.rawValue }
  guard let object = Handles.find(handle, as: Object.self) else { return JacquardError.Code.invalidHandle.rawValue }
  return status { try body(object) }
}

func status(_ body: () throws -> CInt) -> CInt {
  do {
    return try body()
  } catch let error as JacquardError {
    return error.code.rawValue
  } catch {
    return JacquardError.Code.internalError.rawValue
  }
}

/// The value of an argument that must not be NULL.
func required<Value>(_ value: Value?, _ name: String) throws -> Value {
  guard let value else { throw JacquardError.invalid("\(name) is NULL") }
  return value
}
