import Dispatch
@testable import JacquardSDK
import Testing

@Suite(.timeLimit(.minutes(1))) struct FeedTests {
  private let world = World()

  @Test func valuesArriveLaterAndInOrder() async {
    let feed = Feed<Int, Never>(world.queue, .nothing)
    world.queue.suspend()
    let recorder = Recorder(feed, world)
    for number in 1...1000 { feed.send(number) }
    #expect(recorder.values.isEmpty)
    world.queue.resume()
    await until { recorder.values.count == 1000 }
    #expect(recorder.values == Array(1...1000) && recorder.isOnQueue && recorder.completion == nil)
  }

  @Test func aValueIsReplayedLater() async {
    let feed = Feed<Int, Never>(world.queue, .latest, first: [1])
    feed.send(2)
    world.queue.suspend()
    let recorder = Recorder(feed, world)
    #expect(recorder.values.isEmpty)
    world.queue.resume()
    await until { recorder.values == [2] }
  }

  @Test func theOldestOfManyIsForgotten() async {
    let feed = Feed<Int, Never>(world.queue, .everything(limit: 2))
    for number in 1...3 { feed.send(number) }
    let recorder = Recorder(feed, world)
    await until { recorder.values == [2, 3] }
    feed.forget()
    let late = Recorder(feed, world)
    feed.send(4)
    await until { late.values == [4] && recorder.values == [2, 3, 4] }
  }

  @Test func nothingArrivesAfterCancelling() async {
    let feed = Feed<Int, Never>(world.queue, .nothing)
    world.queue.suspend()
    let (early, other) = (Recorder(feed, world), Recorder(feed, world))
    feed.send(1)
    early.cancel()
    world.queue.resume()
    await until { other.values == [1] }
    #expect(early.values.isEmpty)
  }

  @Test func aSubscriberAfterTheEndGetsTheEnd() async {
    let feed = Feed<Int, TagConnectionError>(world.queue, .latest)
    feed.send(1)
    feed.fail(.internalError)
    feed.send(2)
    let late = Recorder(feed, world)
    await until { late.completion != nil }
    #expect(late.values == [1] && late.error is TagConnectionError)
  }

  @Test func aClosedFeedIsSilent() async {
    let feed = Feed<Int, Never>(world.queue, .latest)
    world.queue.suspend()
    let recorder = Recorder(feed, world)
    feed.send(1)
    feed.close()
    feed.send(2)
    let late = Recorder(feed, world)
    world.queue.resume()
    await until { recorder.values == [1] }
    #expect(late.values.isEmpty && late.completion == nil && recorder.completion == nil)
  }

  /// A subscriber with a demand of one value at a time, on a queue with several threads.
  @Test func demandIsRespected() async {
    let feed = Feed<Int, Never>(DispatchQueue(label: "several", attributes: .concurrent), .nothing)
    let received = Feed<Int, Never>(world.queue, .nothing)
    let recorder = Recorder(received, world)
    feed.subscribe(
      AnySubscriber<Int, Never>(
        receiveSubscription: { $0.request(.max(1)) },
        receiveValue: {
          received.send($0)
          return $0 < 500 ? .max(1) : .none
        }))
    for number in 1...600 { feed.send(number) }
    await until { recorder.values.count >= 500 }
    world.queue.sync {}
    #expect(recorder.values == Array(1...500))
  }
}
