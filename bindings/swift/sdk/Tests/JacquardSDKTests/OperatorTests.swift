import Foundation
import JacquardOperators
import OpenCombine
import Testing

@Suite struct OperatorTests {
  private let a = PassthroughSubject<Int, Never>()
  private let b = PassthroughSubject<Int, Never>()
  private let c = PassthroughSubject<Int, Never>()

  @Test func theLatestValuesAreCombined() {
    var (pairs, sums, ends) = ([[Int]](), [Int](), 0)
    let one = a.combineLatest(b).sink { _ in
      ends += 1
    } receiveValue: {
      pairs.append([$0.0, $0.1])
    }
    let other = a.combineLatest(b, c) { $0 + $1 + $2 }.sink { sums.append($0) }
    a.send(1)
    a.send(2)
    b.send(10)
    c.send(100)
    a.send(3)
    #expect(pairs == [[2, 10], [3, 10]] && sums == [112, 113])
    a.send(completion: .finished)
    b.send(20)
    #expect(pairs.last == [3, 20] && ends == 0)
    b.send(completion: .finished)
    #expect(ends == 1)
    one.cancel()
    other.cancel()
  }

  @Test func collectionsAreCombinedAndMerged() {
    var (latest, merged, ends) = ([[Int]](), [Int](), 0)
    let kept = [
      [a, b, c].combineLatest().sink { latest.append($0) },
      Publishers.MergeMany([a, b, c]).sink { _ in
        ends += 1
      } receiveValue: {
        merged.append($0)
      },
    ]
    for (number, subject) in zip(1..., [a, b, c, a]) { subject.send(number) }
    #expect(latest == [[1, 2, 3], [4, 2, 3]] && merged == [1, 2, 3, 4])
    for subject in [a, b, c] { subject.send(completion: .finished) }
    #expect(ends == 1 && kept.count == 2)
    #expect([PassthroughSubject<Int, Never>]().combineLatest().values().isEmpty)
  }

  @Test func aFailureEndsAll() {
    struct Failure: Error {}
    let (one, other) = (PassthroughSubject<Int, Failure>(), PassthroughSubject<Int, Failure>())
    var (values, failures) = ([Int](), 0)
    let kept = one.merge(with: other).sink {
      if case .failure = $0 { failures += 1 }
    } receiveValue: {
      values.append($0)
    }
    other.send(1)
    one.send(completion: .failure(Failure()))
    other.send(2)
    #expect(values == [1] && failures == 1)
    kept.cancel()
  }

  @Test func valuesWaitForDemand() {
    var (values, subscription) = ([Int](), Subscription?.none)
    a.merge(with: b, c).subscribe(
      AnySubscriber(
        receiveSubscription: { subscription = $0 },
        receiveValue: {
          values.append($0)
          return .none
        }))
    a.send(1)
    b.send(2)
    #expect(values.isEmpty)
    subscription?.request(.max(1))
    #expect(values == [1])
    subscription?.request(.max(5))
    #expect(values == [1, 2])
    subscription?.cancel()
    c.send(3)
    #expect(values == [1, 2])
  }

  @Test func anObjectWithoutPublishedPropertiesReportsChanges() {
    final class Plain: JacquardOperators.ObservableObject {}
    final class Model: JacquardOperators.ObservableObject { @Published var number = 1 }
    let (plain, model) = (Plain(), Model())
    var (sent, seen) = (0, [Int]())
    let kept = [
      plain.objectWillChange.sink { sent += 1 }, model.objectWillChange.sink { seen.append(model.number) },
    ]
    plain.objectWillChange.send()
    model.number = 2
    model.objectWillChange.send()
    #expect(sent == 1 && seen == [1, 2] && kept.count == 2)
  }
}

extension Publisher where Failure == Never {
  /// The values that it delivers immediately.
  fileprivate func values() -> [Output] {
    var values: [Output] = []
    _ = sink { values.append($0) }
    return values
  }
}
