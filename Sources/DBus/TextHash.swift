/// FNV-1a of a C string: compares names for every notification, where a dictionary's hashing would be most of the work.
/// Equal hashes must be followed by a comparison.
public func textHash(_ text: UnsafePointer<CChar>) -> UInt64 {
  var hash: UInt64 = 0xcbf2_9ce4_8422_2325
  var cursor = text
  while cursor.pointee != 0 {
    hash = (hash ^ UInt64(UInt8(bitPattern: cursor.pointee))) &* 0x100_0000_01b3
    cursor += 1
  }
  return hash
}
