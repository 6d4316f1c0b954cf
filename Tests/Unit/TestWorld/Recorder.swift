/// Records the values passed to a handler, in order.
public final class Recorder<Element> {
  public var entries: [Element] = []

  public init() {}

  public func note(_ entry: Element) { entries.append(entry) }
}
