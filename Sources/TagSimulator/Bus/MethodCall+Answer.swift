import DBus

/// A failure that goes back to a caller as a D-Bus error.
struct MethodFailure: Error, Equatable {
  var name: String
  var message: String
}

extension MethodCall {
  var arguments: [Value] { body() }
  var caller: String { sender ?? "" }

  /// Answers with values of the simulator's own making, which always have a form.
  func answer(_ values: Value...) { try? reply(values) }

  func fail(_ failure: MethodFailure) { fail(failure.name, failure.message) }
}
