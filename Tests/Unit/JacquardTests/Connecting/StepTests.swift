import Testing

@testable import Jacquard

@Suite("Steps")
struct StepTests {
  @Test("there are fourteen steps, numbered from 1, in order")
  func numbers() {
    #expect(Step.allCases.map(\.rawValue) == Array(1...14))
    #expect(ConnectionState.totalSteps == 14)
  }

  @Test("each step belongs to one phase, and phases only advance")
  func phases() {
    #expect(
      Step.allCases.map(\.phase) == [
        .preparing, .preparing, .connecting, .connecting, .connecting, .connecting, .connecting, .initializing,
        .initializing, .initializing, .initializing, .configuring, .configuring, .connected,
      ])
    #expect(Step.allCases.map(\.phase.rawValue) == Step.allCases.map(\.phase.rawValue).sorted())
  }
}
