import CJacquard
import Jacquard
import JacquardWire

/// Passes an error to C; NULL for none.
func withCError<Result>(_ error: JacquardError?, _ body: (UnsafePointer<jacquard_error>?) -> Result) -> Result {
  guard let error else { return body(nil) }
  let strings = CStrings()
  var copy = jacquard_error()
  copy.code = error.code.rawValue
  copy.system_errno = error.systemErrno
  copy.att_code = Int32(error.attCode)
  copy.tag_status = Int32(truncatingIfNeeded: error.tagStatus)
  copy.tag_status_name = error.tagStatus == 0 ? nil : strings(TagStatus(rawValue: error.tagStatus).constantName)
  copy.dbus_name = strings(error.dbusName)
  copy.message = strings(error.message)
  copy.advice = strings(error.advice)
  return withExtendedLifetime(strings) { body(&copy) }
}

extension TagStatus {
  /// "BAD_PARAMETER"
  fileprivate var constantName: String {
    name.map { String($0.uppercased().map { $0 == " " ? "_" : $0 }) } ?? "STATUS_\(rawValue)"
  }
}

private let texts = StaticCStrings(
  [(0, "Success.")] + JacquardError.Code.allCases.map { ($0.rawValue, $0.text) },
  fallback: "Unknown error.")

private let names = StaticCStrings(
  [(0, "JACQUARD_OK")] + JacquardError.Code.allCases.map { ($0.rawValue, $0.constantName) },
  fallback: "JACQUARD_ERROR_UNKNOWN")

extension JacquardError.Code {
  /// "JACQUARD_ERROR_NO_ADAPTER"
  fileprivate var constantName: String {
    if self == .internalError { return "JACQUARD_ERROR_INTERNAL" }
    return "JACQUARD_ERROR_"
      + "\(self)".reduce(into: "") { $0 += $1.isUppercase ? "_\($1)" : $1.uppercased() }
  }
}

@_cdecl("jacquard_status_text") @implementation
public func jacquard_status_text(_ status: CInt) -> UnsafePointer<CChar>? { texts[status] }

@_cdecl("jacquard_status_name") @implementation
public func jacquard_status_name(_ status: CInt) -> UnsafePointer<CChar>? { names[status] }
