import CJacquard

func text(_ pointer: UnsafePointer<CChar>?) -> String {
  pointer.map { String(cString: $0) } ?? ""
}

func optionalText(_ pointer: UnsafePointer<CChar>?) -> String? {
  pointer.map { String(cString: $0) }
}

func value<C>(_ pointer: UnsafePointer<C>?) -> C? {
  pointer?.pointee
}

func bytes(_ pointer: UnsafePointer<UInt8>?, _ count: Int) -> [UInt8] {
  Array(UnsafeBufferPointer(start: pointer, count: count))
}

func elements<C>(_ pointer: UnsafePointer<C>?, _ count: Int) -> UnsafeBufferPointer<C> {
  UnsafeBufferPointer(start: pointer, count: count)
}

/// A struct of the header that callers fill: all bytes are zero, and `struct_size`, its first field, is set.
func sized<C>(_ type: C.Type = C.self) -> C {
  withUnsafeTemporaryAllocation(byteCount: MemoryLayout<C>.size, alignment: MemoryLayout<C>.alignment) { memory in
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    memory.storeBytes(of: UInt32(MemoryLayout<C>.size), as: UInt32.self)
    return memory.load(as: C.self)
  }
}

/// Copies of strings for a function of the library, with pointers that are valid during `body`.
func withStrings<Value>(
  _ strings: [String?], _ body: ([UnsafePointer<CChar>?]) throws(JacquardError) -> Value
) throws(JacquardError) -> Value {
  var copies: [UnsafeMutableBufferPointer<CChar>?] = []
  defer { copies.forEach { $0?.deallocate() } }
  for string in strings {
    guard let string else {
      copies.append(nil)
      continue
    }
    guard !string.utf8.contains(0) else {
      throw JacquardError(.invalidArgument, "A text contains a NUL character.", advice: "Remove it.")
    }
    let copy = UnsafeMutableBufferPointer<CChar>.allocate(capacity: string.utf8.count + 1)
    _ = copy.initialize(from: string.utf8CString)
    copies.append(copy)
  }
  return try body(copies.map { $0?.baseAddress.map { UnsafePointer($0) } })
}

/// Like `withStrings`, for one string that is not optional.
func withString<Value>(
  _ string: String, _ body: (UnsafePointer<CChar>) throws(JacquardError) -> Value
) throws(JacquardError) -> Value {
  try withStrings([string]) { pointers throws(JacquardError) in try body(pointers[0]!) }
}

extension Duration {
  /// Whole milliseconds, at least 1, because 0 means the default in the header.
  var milliseconds: UInt32 {
    let parts = components
    guard parts.seconds >= 0, parts.attoseconds >= 0 else { return 1 }
    guard parts.seconds < 4_294_967 else { return .max - 1 }
    return max(1, UInt32(parts.seconds) * 1000 + UInt32(parts.attoseconds / 1_000_000_000_000_000))
  }
}

func requestOptions(_ timeout: Duration?) -> jacquard_request_options {
  var options = sized(jacquard_request_options.self)
  options.timeout_ms = timeout?.milliseconds ?? 0
  return options
}

extension FixedWidthInteger {
  /// A flag in a struct of the header.
  init(_ flag: Bool) {
    self = flag ? 1 : 0
  }
}
