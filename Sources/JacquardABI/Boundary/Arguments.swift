import CJacquard
import Glibc
import Jacquard

/// A struct of the header that the caller fills, and that begins with its size.
protocol SizedStruct {
  init()
  var struct_size: UInt32 { get set }
  var reserved: UInt32 { get }
  /// The first field that each version after 0.1 has added, in order. Because no struct has padding, its offset is the
  /// size of the struct in programs that were built with the version before.
  static var additions: [PartialKeyPath<Self>] { get }
}

extension SizedStruct {
  /// Zero for structs that have no field `reserved`.
  var reserved: UInt32 { 0 }
  static var additions: [PartialKeyPath<Self>] { [] }

  /// Refuses sizes that the struct has in no version up to this one, and can have in no later one.
  fileprivate static func check(size: Int) throws {
    let known = MemoryLayout<Self>.stride
    let earlier = additions.compactMap { MemoryLayout<Self>.offset(of: $0) }
    guard (known...4096).contains(size) || earlier.contains(size) else {
      throw JacquardError.invalid("struct_size is \(size); this library expects \(earlier.first ?? known) to 4096.")
    }
  }
}

extension jacquard_bind_options: SizedStruct {}
extension jacquard_configuration: SizedStruct {}
extension jacquard_connect_options: SizedStruct {}
extension jacquard_counters: SizedStruct {}
extension jacquard_download_options: SizedStruct {}
extension jacquard_firmware_source: SizedStruct {}
extension jacquard_haptic: SizedStruct {}
extension jacquard_led_pattern: SizedStruct {}
extension jacquard_list_connected_options: SizedStruct {}
extension jacquard_list_known_options: SizedStruct {}
extension jacquard_manager_options: SizedStruct {}
extension jacquard_module: SizedStruct {}
extension jacquard_motion_reader_options: SizedStruct {}
extension jacquard_motion_settings: SizedStruct {}
extension jacquard_request_options: SizedStruct {}
extension jacquard_scan_options: SizedStruct {}
extension jacquard_service_options: SizedStruct {}
extension jacquard_session: SizedStruct {}
extension jacquard_sleeve_health: SizedStruct {}
extension jacquard_touch_tracker_options: SizedStruct {}
extension jacquard_unbind_options: SizedStruct {}
extension jacquard_update_known_options: SizedStruct {}
extension jacquard_update_options: SizedStruct {}
extension jacquard_value: SizedStruct {}

/// Reads and validates arguments from callers.
enum Arguments {
  private static let longestString = 4096

  /// A caller's struct as this version knows it; nil for NULL. A larger struct comes from a newer header; its
  /// additional fields must be zero, because this version does not know their meaning. A smaller one comes from an
  /// older header; missing fields are zero, which is the default of every field.
  static func options<Options: SizedStruct>(_ pointer: UnsafePointer<Options>?) throws -> Options? {
    guard let pointer else { return nil }
    let known = MemoryLayout<Options>.stride
    let given = Int(UnsafeRawPointer(pointer).loadUnaligned(as: UInt32.self))
    try Options.check(size: given)
    let added = UnsafeRawBufferPointer(start: pointer, count: given).dropFirst(known)
    guard added.allSatisfy({ $0 == 0 }) else {
      throw JacquardError.invalid("The struct is larger than \(known) bytes, and an additional field is not zero.")
    }
    var options = Options()
    withUnsafeMutableBytes(of: &options) {
      $0.copyMemory(from: UnsafeRawBufferPointer(start: pointer, count: min(given, known)))
    }
    guard options.reserved == 0 else { throw JacquardError.invalid("reserved is not 0.") }
    return options
  }

  /// Checks options that have no fields yet.
  static func check<Options: SizedStruct>(_ pointer: UnsafePointer<Options>?) throws { _ = try options(pointer) }

  /// Fills a caller's struct up to the size that it has. Fields that this version does not know are zero.
  static func fill<Value: SizedStruct>(
    _ pointer: UnsafeMutablePointer<Value>?, _ name: String, with value: Value
  ) throws {
    let output = UnsafeMutableRawPointer(try required(pointer, name))
    let known = MemoryLayout<Value>.stride
    let room = Int(output.loadUnaligned(as: UInt32.self))
    try Value.check(size: room)
    var value = value
    value.struct_size = UInt32(room)
    memset(output, 0, room)
    withUnsafeBytes(of: value) { output.copyMemory(from: $0.baseAddress!, byteCount: min(room, known)) }
  }

  /// Nil for NULL.
  static func string(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
    guard let pointer else { return nil }
    guard strnlen(pointer, longestString + 1) <= longestString, let text = String(validatingCString: pointer) else {
      throw JacquardError.invalid("\(name) is longer than \(longestString) bytes or is not UTF-8.")
    }
    return text
  }

  static func flag(_ value: UInt32, _ name: String) throws -> Bool {
    guard value <= 1 else { throw JacquardError.invalid("\(name) is \(value); expected 0 or 1.") }
    return value == 1
  }
}

extension Arguments {
  /// An absolute path; nil for NULL. Relative paths depend on the working directory, which may change.
  static func directory(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
    guard let path = try string(pointer, name) else { return nil }
    guard path.hasPrefix("/") else { throw JacquardError.invalid("\(name) is not an absolute path.") }
    return path
  }

  /// A Bluetooth address, six pairs of hexadecimal digits with colons; nil for NULL.
  static func address(_ pointer: UnsafePointer<CChar>?, _ name: String) throws -> String? {
    guard let text = try string(pointer, name) else { return nil }
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && $0.allSatisfy(\.isHexDigit) }) else {
      throw JacquardError.invalid("\(name) is not a Bluetooth address such as 00:11:22:33:44:55.")
    }
    return text
  }
}
