import OpenCombine

extension Publishers {
  /// The latest values of two publishers, as soon as there is one of each.
  public struct CombineLatest<A: Publisher, B: Publisher>: Publisher where A.Failure == B.Failure {
    /// One value of each.
    public typealias Output = (A.Output, B.Output)
    /// The failure of both.
    public typealias Failure = A.Failure

    let a: A
    let b: B

    /// Subscribes to both.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let gathering = Gathering(subscriber, count: 2, keepsAll: false)
      var latest: (a: A.Output?, b: B.Output?)
      func pair() -> Output? {
        guard let a = latest.a, let b = latest.b else { return nil }
        return (a, b)
      }
      gathering.add(a) {
        latest.a = $0
        return pair()
      }
      gathering.add(b) {
        latest.b = $0
        return pair()
      }
    }
  }

  /// The latest values of publishers of one type, as soon as there is one of each.
  public struct CombineLatestMany<P: Publisher>: Publisher {
    /// One value of each, in the order of the publishers.
    public typealias Output = [P.Output]
    /// The failure of all.
    public typealias Failure = P.Failure

    let publishers: [P]

    /// Subscribes to all.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let gathering = Gathering(subscriber, count: publishers.count, keepsAll: false)
      var latest = [P.Output?](repeating: nil, count: publishers.count)
      for (index, publisher) in publishers.enumerated() {
        gathering.add(publisher) { value -> [P.Output]? in
          latest[index] = value
          let values = latest.compactMap { $0 }
          return values.count == latest.count ? values : nil
        }
      }
    }
  }
}

extension Publisher {
  /// The latest values of this publisher and another one.
  public func combineLatest<B: Publisher>(_ other: B) -> Publishers.CombineLatest<Self, B> where B.Failure == Failure {
    Publishers.CombineLatest(a: self, b: other)
  }

  /// The latest values of this publisher and another one, converted.
  public func combineLatest<B: Publisher, T>(
    _ other: B, _ transform: @escaping (Output, B.Output) -> T
  ) -> AnyPublisher<T, Failure> where B.Failure == Failure {
    combineLatest(other).map { transform($0.0, $0.1) }.eraseToAnyPublisher()
  }

  /// The latest values of three publishers.
  public func combineLatest<B: Publisher, C: Publisher>(
    _ b: B, _ c: C
  ) -> AnyPublisher<(Output, B.Output, C.Output), Failure> where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b).combineLatest(c).map { ($0.0.0, $0.0.1, $0.1) }.eraseToAnyPublisher()
  }

  /// The latest values of three publishers, converted.
  public func combineLatest<B: Publisher, C: Publisher, T>(
    _ b: B, _ c: C, _ transform: @escaping (Output, B.Output, C.Output) -> T
  ) -> AnyPublisher<T, Failure> where B.Failure == Failure, C.Failure == Failure {
    combineLatest(b, c).map { transform($0.0, $0.1, $0.2) }.eraseToAnyPublisher()
  }

  /// The latest values of four publishers.
  public func combineLatest<B: Publisher, C: Publisher, D: Publisher>(
    _ b: B, _ c: C, _ d: D
  ) -> AnyPublisher<(Output, B.Output, C.Output, D.Output), Failure>
  where B.Failure == Failure, C.Failure == Failure, D.Failure == Failure {
    combineLatest(b, c).combineLatest(d).map { ($0.0.0, $0.0.1, $0.0.2, $0.1) }.eraseToAnyPublisher()
  }
}

extension Collection where Element: Publisher {
  /// The latest values of all of these publishers.
  public func combineLatest() -> Publishers.CombineLatestMany<Element> {
    Publishers.CombineLatestMany(publishers: Array(self))
  }

  /// The values of all of these publishers.
  public func merge() -> Publishers.MergeMany<Element> { Publishers.MergeMany(self) }
}

extension Publishers {
  /// The values of publishers of one type, as they come.
  public struct MergeMany<P: Publisher>: Publisher {
    /// The output of each.
    public typealias Output = P.Output
    /// The failure of all.
    public typealias Failure = P.Failure

    /// The publishers.
    public let publishers: [P]

    /// These publishers.
    public init(_ publishers: P...) { self.publishers = publishers }

    /// These publishers.
    public init<S: Swift.Sequence>(_ publishers: S) where S.Element == P { self.publishers = Array(publishers) }

    /// Subscribes to all.
    public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
      let gathering = Gathering(subscriber, count: publishers.count, keepsAll: true)
      for publisher in publishers { gathering.add(publisher) { $0 } }
    }
  }
}

extension Publisher {
  /// The values of this publisher and another one.
  public func merge<B: Publisher>(
    with other: B
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>> where B.Output == Output, B.Failure == Failure {
    Publishers.MergeMany(eraseToAnyPublisher(), other.eraseToAnyPublisher())
  }

  /// The values of this publisher and two others.
  public func merge<B: Publisher, C: Publisher>(
    with b: B, _ c: C
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>>
  where B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure {
    Publishers.MergeMany(eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher())
  }

  /// The values of this publisher and three others.
  public func merge<B: Publisher, C: Publisher, D: Publisher>(
    with b: B, _ c: C, _ d: D
  ) -> Publishers.MergeMany<AnyPublisher<Output, Failure>>
  where
    B.Output == Output, B.Failure == Failure, C.Output == Output, C.Failure == Failure, D.Output == Output,
    D.Failure == Failure
  {
    Publishers.MergeMany(
      eraseToAnyPublisher(), b.eraseToAnyPublisher(), c.eraseToAnyPublisher(), d.eraseToAnyPublisher())
  }
}
