import DBus

/// A failure that is returned to a caller as a D-Bus error.
struct MethodFailure: Error, Equatable {
  var name: String
  var message: String
}

extension MethodCall {
  var arguments: [Value] { body() }
  var caller: String { sender ?? "" }

  /// Replies with values of the simulator, which are always valid.
  func answer(_ values: Value...) { try? reply(values) }

  func fail(_ failure: MethodFailure) { fail(failure.name, failure.message) }
}
