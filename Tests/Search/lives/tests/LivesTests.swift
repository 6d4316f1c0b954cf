import Lives
import TestWorld
import Testing

@Suite("Random lives", .serialized)
struct LivesTests {
  @Test("are the same in every run", arguments: [1, 2, 3, 4, 5] as [UInt64])
  func repetition(seed: UInt64) throws {
    let folder = try ScratchDirectory()
    let first = try Life.live(seed: seed, in: folder.path)
    let second = try Life.live(seed: seed, in: folder.path)
    #expect(first.hash == second.hash)
    #expect(first.messages > 0)
  }
}
