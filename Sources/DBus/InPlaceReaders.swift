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

  /// There are a few for each tag: a linear search is faster than a dictionary.
  private var entries: [Entry] = []
  /// Usually it receives the next frame, too.
  private var latest: Unmanaged<InPlaceReader>?

  mutating func insert(_ reader: InPlaceReader) {
    let key = reader.template.key
    entries.removeAll { $0.key == key }
    entries.append(Entry(key: key, reader: .passUnretained(reader)))
    latest = nil
  }

  mutating func remove(_ reader: InPlaceReader) {
    let address = Unmanaged.passUnretained(reader).toOpaque()
    entries.removeAll { $0.reader.toOpaque() == address }
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
    let key = FrameTemplate.key(frame)
    for entry in entries where entry.key == key {
      let reader = entry.reader.takeUnretainedValue()
      guard let value = reader.template.value(in: frame) else { return nil }
      latest = entry.reader
      return (reader, value)
    }
    return nil
  }
}
