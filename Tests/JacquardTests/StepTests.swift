import Testing

@testable import Jacquard

@Suite("Steps")
struct StepTests {
  @Test("the way has fourteen steps, numbered from 1, in the order in which they happen")
  func numbers() {
    #expect(Step.allCases.map(\.rawValue) == Array(1...14))
    #expect(ConnectionState.totalSteps == 14)
  }

  @Test("each step belongs to one phase, and phases only go forward")
  func phases() {
    #expect(
      Step.allCases.map(\.phase) == [
        .preparing, .connecting, .connecting, .connecting, .connecting, .connecting, .connecting, .initializing,
        .initializing, .initializing, .initializing, .configuring, .configuring, .connected,
      ])
    #expect(Step.allCases.map(\.phase.rawValue) == Step.allCases.map(\.phase.rawValue).sorted())
  }
}
