import JacquardWire

/// One command of the tag: its request, and the meaning of its response.
struct TagCommand<Answer>: Sendable {
  let request: WireRequest
  /// Returns nil if the payload is missing from the response.
  let answer: @Sendable (WireResponse) -> Answer?
  /// How many times it is sent if there is no response.
  let attempts: Int

  /// The number of attempts in the reference SDKs, for commands that only read.
  private static var mostAttempts: Int { 3 }

  /// - Parameter isRepeatable: sending it twice does no harm.
  init(
    _ command: Command, component: UInt32? = nil, isRepeatable: Bool = false,
    _ fill: (inout WireRequest) -> Void = { _ in },
    answer: @escaping @Sendable (WireResponse) -> Answer?
  ) {
    var request = WireRequest(command, component: component)
    fill(&request)
    self.request = request
    self.answer = answer
    attempts = isRepeatable ? Self.mostAttempts : 1
  }

  /// The result of a response, or the error that it represents.
  func result(of response: WireResponse) throws(JacquardError) -> Answer {
    guard response.status == 0 else { throw .refused(request.command, status: response.status) }
    guard let answer = answer(response) else {
      throw JacquardError(.malformedResponse, "The tag's response to \(request.command) has no payload.")
    }
    return answer
  }
}
