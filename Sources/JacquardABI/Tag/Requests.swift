import CJacquard
import EventLoop
import Jacquard

/// The object behind a `jacquard_request`.
final class RequestHandle: HandleObject {
  private let registration: Registration
  private let cancel: @Sendable () -> Void

  init(_ registration: Registration, cancel: @escaping @Sendable () -> Void) {
    self.registration = registration
    self.cancel = cancel
  }

  func close() {
    registration.end()
    cancel()
  }
}

extension ManagerHandle {
  /// All commands are sent to a tag, and their responses delivered to C, through this function. `deliver` is called
  /// once through the registration, unless the request is cancelled or the manager ends.
  func request<Answer>(
    _ options: UnsafePointer<jacquard_request_options>?, _ userData: UnsafeMutableRawPointer?,
    _ destroy: jacquard_destroy_callback?, _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ perform: @escaping @Sendable (Duration?) async throws -> Answer,
    _ deliver: @escaping @Sendable (Result<Answer, JacquardError>, UnsafeMutableRawPointer?) -> Void
  ) throws -> CInt {
    let milliseconds = try Arguments.options(options)?.timeout_ms ?? 0
    let deadline: Duration? = milliseconds == 0 ? nil : .milliseconds(Int64(milliseconds))
    try checkOpen()
    let registration = Registration(userData, destroy, in: registrations)
    return try request(registration, output, { _ in try await perform(deadline) }, deliver)
  }

  /// Sends a command with a registration that `perform` may also use for other calls.
  func request<Answer>(
    _ registration: Registration, _ output: UnsafeMutablePointer<OpaquePointer?>?,
    _ perform: @escaping @Sendable (Registration) async throws -> Answer,
    _ deliver: @escaping @Sendable (Result<Answer, JacquardError>, UnsafeMutableRawPointer?) -> Void
  ) throws -> CInt {
    let task = LoopVariable<Task<Void, Never>?>(nil, of: loop)
    let pointer = try output.map { _ in
      try Handles.issue(RequestHandle(registration) { [self] in post { _ in task.value?.cancel() } })
    }
    try registration.begin(with: pointer)
    output?.pointee = pointer
    post { manager in
      guard !registration.hasEnded else { return }
      task.value = manager.loop.spawn {
        let result: Result<Answer, JacquardError>
        do {
          result = .success(try await perform(registration))
        } catch {
          let error = JacquardError(thrown: error)
          guard !error.isCancellation else { return registration.end() }
          result = .failure(error)
        }
        registration.call { deliver(result, $0) }
        registration.end()
      }
    }
    return 0
  }

  /// Sends a command without a result.
  func request(
    _ options: UnsafePointer<jacquard_request_options>?, _ callback: jacquard_done_callback?,
    _ userData: UnsafeMutableRawPointer?, _ destroy: jacquard_destroy_callback?,
    _ output: UnsafeMutablePointer<OpaquePointer?>?, _ perform: @escaping @Sendable (Duration?) async throws -> Void
  ) throws -> CInt {
    let callback = try required(callback, "callback")
    return try request(options, userData, destroy, output, perform) { result, userData in
      switch result {
      case .success: callback(nil, userData)
      case .failure(let error): withCError(error) { callback($0, userData) }
      }
    }
  }
}

@_cdecl("jacquard_request_ref") @implementation
public func jacquard_request_ref(_ request: OpaquePointer?) -> OpaquePointer? {
  Handles.reference(request, as: RequestHandle.self)
}

@_cdecl("jacquard_request_unref") @implementation
public func jacquard_request_unref(_ request: OpaquePointer?) -> OpaquePointer? {
  Handles.release(request, as: RequestHandle.self)
  return nil
}

@_cdecl("jacquard_request_cancel") @implementation
public func jacquard_request_cancel(_ request: OpaquePointer?) -> CInt {
  on(request, RequestHandle.self) {
    $0.close()
    return 0
  }
}
