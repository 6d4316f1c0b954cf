import CJacquard
import EventLoop
import Jacquard

@_cdecl("jacquard_connection_download_session") @implementation
public func jacquard_connection_download_session(
  _ connection: OpaquePointer?, _ session: UnsafePointer<jacquard_session>?,
  _ options: UnsafePointer<jacquard_download_options>?, _ onData: jacquard_download_data_callback?,
  _ callback: jacquard_download_callback?, _ userData: UnsafeMutableRawPointer?,
  _ destroy: jacquard_destroy_callback?, _ request: UnsafeMutablePointer<OpaquePointer?>?
) -> CInt {
  on(connection, ConnectionHandle.self) { handle in
    let callback = try required(callback, "callback")
    let session = try Arguments.session(session)
    try session.checkListed()
    let target = try DownloadTarget(Arguments.options(options))
    if target.file == nil { _ = try required(onData, "on_data") }
    return try handle.request(userData, destroy, request) { registration in
      let connection = try handle.current()
      let receiver = try await target.receiver(of: session) { receiver, bytes in
        onData.map { registration.report(bytes, receiver, session, $0) } ?? true
      }
      return (session.byteCount, try await connection.download(session, to: receiver))
    } _: { result, userData in
      switch result {
      case .success(let (size, seed)):
        var copy = jacquard_download(size: size, checksum_seed: seed.map { Int32($0) } ?? -1)
        callback(&copy, nil, userData)
      case .failure(let error): withCError(error) { callback(nil, $0, userData) }
      }
    }
  }
}

/// The destination of a session's bytes, chosen by the caller.
private struct DownloadTarget: Sendable {
  let file: SharedDescriptor?
  private let received: [UInt8]

  init(_ options: jacquard_download_options?) throws {
    guard let options else {
      (file, received) = (nil, [])
      return
    }
    if try Arguments.flag(options.to_descriptor, "to_descriptor") {
      file = try SessionFile.duplicate(options.descriptor)
      received = []
    } else {
      file = nil
      received =
        options.received_size == 0
        ? []
        : Array(UnsafeBufferPointer(start: try required(options.received, "received"), count: options.received_size))
    }
  }

  func receiver(
    of session: StoredSession, _ observe: @escaping (SessionReceiver, UnsafeRawBufferPointer) -> Bool
  ) async throws -> SessionReceiver {
    weak var known: SessionReceiver?
    let keep = { (bytes: UnsafeRawBufferPointer) throws(JacquardError) in
      guard let known, observe(known, bytes) else {
        throw JacquardError(.system, "The program could not store the bytes of the session.")
      }
    }
    let receiver: SessionReceiver
    if let file {
      receiver = try await SessionFile(file).receiver(of: session, keep)
    } else {
      receiver = SessionReceiver(keep)
      received.withUnsafeBytes { receiver.resume(after: $0) }
    }
    known = receiver
    return receiver
  }
}

extension Registration {
  /// Returns whether the caller has stored the bytes.
  fileprivate func report(
    _ bytes: UnsafeRawBufferPointer, _ receiver: SessionReceiver, _ session: StoredSession,
    _ callback: jacquard_download_data_callback
  ) -> Bool {
    var isKept = false
    var copy = jacquard_download_data(
      data: bytes.baseAddress?.assumingMemoryBound(to: UInt8.self), size: bytes.count,
      received: UInt32(clamping: receiver.byteCount + bytes.count), total: session.byteCount)
    call { isKept = callback(&copy, $0) == 0 }
    return isKept
  }
}
