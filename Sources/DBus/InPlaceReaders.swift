/// Receives the values of one property as they lie in the receive buffer. Ends with `cancel()` or with its last
/// reference.
public final class InPlaceReader {
  let template: FrameTemplate
  let handler: (_ value: UnsafeRawBufferPointer, _ serial: UInt32) -> Void
  private weak var connection: BusConnection?

  init(
    _ template: FrameTemplate, _ connection: BusConnection,
    _ handler: @escaping (_ value: UnsafeRawBufferPointer, _ serial: UInt32) -> Void
  ) {
    self.template = template
    self.connection = connection
    self.handler = handler
  }

  deinit { cancel() }

  /// Ends reading in place. Later values are delivered as ordinary signals.
  public func cancel() {
    connection?.inPlace.remove(self)
    connection = nil
  }
}

/// The readers of a connection, found by the header of a frame.
struct InPlaceReaders {
  private struct Entry {
    let key: UInt64
    let reader: Unmanaged<InPlaceReader>
  }

  /// Sorted by key in ascending order: a program may have several for each of hundreds of tags.
  private var entries: [Entry] = []
  /// The reader of the latest frame, which usually receives the next one, too.
  private var latest: Unmanaged<InPlaceReader>?

  mutating func insert(_ reader: InPlaceReader) {
    let entry = Entry(key: reader.template.key, reader: .passUnretained(reader))
    let (index, isTaken) = position(of: entry.key)
    entries.replaceSubrange(index..<index + (isTaken ? 1 : 0), with: CollectionOfOne(entry))
    latest = nil
  }

  mutating func remove(_ reader: InPlaceReader) {
    let (index, isTaken) = position(of: reader.template.key)
    guard isTaken, entries[index].reader.toOpaque() == Unmanaged.passUnretained(reader).toOpaque() else { return }
    entries.remove(at: index)
    latest = nil
  }

  mutating func removeAll() { self = InPlaceReaders() }

  /// The reader of this frame, and the value in it.
  @inline(__always)
  mutating func find(_ frame: Frame) -> (reader: InPlaceReader, value: UnsafeRawBufferPointer)? {
    if let latest {
      let reader = latest.takeUnretainedValue()
      if let value = reader.template.value(in: frame) { return (reader, value) }
    }
    return search(frame)
  }

  private mutating func search(_ frame: Frame) -> (reader: InPlaceReader, value: UnsafeRawBufferPointer)? {
    guard !entries.isEmpty else { return nil }
    let (index, isTaken) = position(of: FrameTemplate.key(frame))
    guard isTaken else { return nil }
    let reader = entries[index].reader.takeUnretainedValue()
    guard let value = reader.template.value(in: frame) else { return nil }
    latest = entries[index].reader
    return (reader, value)
  }

  /// Where an entry with this key is, or would be.
  private func position(of key: UInt64) -> (index: Int, isTaken: Bool) {
    var (first, end) = (0, entries.count)
    while first < end {
      let middle = (first + end) / 2
      if entries[middle].key < key { first = middle + 1 } else { end = middle }
    }
    return (first, first < entries.count && entries[first].key == key)
  }
}
