import CJacquard

private let text = StaticCStrings(
  [(0, "\(JACQUARD_VERSION_MAJOR).\(JACQUARD_VERSION_MINOR).\(JACQUARD_VERSION_PATCH)")], fallback: "")

@_cdecl("jacquard_version") @implementation
public func jacquard_version() -> UInt32 {
  UInt32(JACQUARD_VERSION_MAJOR) << 16 | UInt32(JACQUARD_VERSION_MINOR) << 8 | UInt32(JACQUARD_VERSION_PATCH)
}

@_cdecl("jacquard_version_string") @implementation
public func jacquard_version_string() -> UnsafePointer<CChar>? { text[0] }
