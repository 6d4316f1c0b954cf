import Dispatch
import Foundation
import JacquardTags
@_exported import OpenCombine
@_exported import OpenCombineDispatch

/// Starts a request now, not at a subscription, so that it is sent even if the publisher is dropped, and requests are
/// sent in the order of the calls. The publisher delivers one value and does not finish; an error completes it.
func request<Value>(
  _ queue: DispatchQueue, mapping: @escaping (Error) -> Error = commandError,
  _ body: @escaping () async throws -> Value
) -> AnyPublisher<Value, Error> {
  let feed = Feed<Value, Error>(queue, .latest)
  Task.immediate {
    do {
      feed.send(try await body())
    } catch {
      feed.fail(mapping(error))
    }
  }
  return feed.eraseToAnyPublisher()
}

/// The error of a command with the names of the iOS SDK, if it has one there; else a `JacquardError`.
func commandError(_ error: Error) -> Error {
  guard let error = error as? JacquardError else { return error }
  switch error.code {
  case .tagStatus:
    return CommandResponseStatus(rawValue: Int(error.tagStatus?.rawValue ?? 255)) ?? .errorUnknown
  case .timeout: return CommandResponseStatus.errorAppTimeout
  case .malformedResponse: return JacquardCommandError.malformedResponse
  default: return error
  }
}

/// Runs tasks on a thread of its own, for calls that wait for a task: on the threads of other tasks they could wait
/// forever.
private final class WaitingExecutor: TaskExecutor {
  private let queue = DispatchQueue(label: "libjacquard.waiting")

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}

/// Waits for a request of the library. The caller is never on the library's thread.
func wait<Value>(_ body: @escaping () async -> Value) -> Value {
  let done = DispatchSemaphore(value: 0)
  nonisolated(unsafe) var value: Value?
  Task(executorPreference: WaitingExecutor()) {
    value = await body()
    done.signal()
  }
  done.wait()
  return value!
}

extension Publisher where Failure == Never {
  /// The values of this publisher, with the type of failure `Error`.
  public func mapNeverToError() -> AnyPublisher<Output, Error> {
    setFailureType(to: Error.self).eraseToAnyPublisher()
  }
}

extension Cancellable {
  /// Appends this to an array.
  public func addTo(_ array: inout [Cancellable]) { array.append(self) }
}
