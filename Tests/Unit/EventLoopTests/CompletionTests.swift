import EventLoop
import Testing

@Suite("A completion")
struct CompletionTests {
  @Test("keeps its first result")
  func once() throws {
    let loop = try EventLoop()
    let completion = Completion<Int, CancellationError>()
    #expect(completion.succeed(1))
    #expect(!completion.succeed(2))
    #expect(!completion.fail(CancellationError()))
    var values: [Int] = []
    loop.spawn { values = [(try? await completion.value()) ?? 0, (try? await completion.value()) ?? 0] }
    try settle(loop)
    #expect(values == [1, 1])
  }

  @Test("wakes all waiting tasks")
  func several() throws {
    let loop = try EventLoop()
    let completion = Completion<Int, CancellationError>()
    var values: [Int] = []
    for _ in 0..<3 { loop.spawn { values.append((try? await completion.value()) ?? 0) } }
    try settle(loop)
    #expect(values == [])
    completion.succeed(7)
    try settle(loop)
    #expect(values == [7, 7, 7])
  }

  @Test("ends only the wait of a cancelled task")
  func cancel() throws {
    let loop = try EventLoop()
    let completion = Completion<Int, CancellationError>()
    var outcomes: [String] = []
    func wait(_ name: String) -> Task<Void, Never> {
      loop.spawn {
        do { outcomes.append("\(name) \(try await completion.value())") } catch { outcomes.append("\(name) \(error)") }
      }
    }
    let first = wait("first")
    _ = wait("second")
    try settle(loop)
    first.cancel()
    try settle(loop)
    #expect(outcomes == ["first CancellationError()"])
    #expect(completion.succeed(5))
    try settle(loop)
    #expect(outcomes.last == "second 5")
  }
}
