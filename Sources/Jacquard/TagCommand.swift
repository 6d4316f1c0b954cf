import JacquardWire

/// One command of the tag: what is sent, and what its answer means.
struct TagCommand<Answer> {
  let request: WireRequest
  /// Nil: the payload is missing from the answer.
  let answer: (WireResponse) -> Answer?
  /// Asking twice does no harm, so it is done after a timeout.
  let isRepeatable: Bool

  init(
    _ command: Command, component: UInt32? = nil, isRepeatable: Bool = false,
    _ fill: (inout WireRequest) -> Void = { _ in },
    answer: @escaping (WireResponse) -> Answer?
  ) {
    var request = WireRequest(command, component: component)
    fill(&request)
    self.request = request
    self.answer = answer
    self.isRepeatable = isRepeatable
  }

  /// The answer of a response, or the error it stands for.
  func result(of response: WireResponse) throws -> Answer {
    guard response.status == 0 else { throw JacquardError(tagStatus: response.status) }
    guard let answer = answer(response) else {
      throw JacquardError(.malformedResponse, "The tag's answer to \(request.command) lacks its payload.")
    }
    return answer
  }
}
