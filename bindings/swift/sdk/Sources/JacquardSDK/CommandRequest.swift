import Foundation
import JacquardTags

/// A command for `enqueue()`. Programs can define their own with the messages of the tag's protocol.
public protocol CommandRequest {
  /// The result.
  associatedtype Response
  /// The message to send.
  var request: V2ProtocolCommandRequestIDInjectable { get }
  /// Reads the result from the value that `parseOuterResponse()` returns.
  func parseResponse(outerProto: Any) -> Result<Response, Error>
  /// Reads a serialised response.
  func parseOuterResponse(data: Data) -> Result<V2ProtocolCommandResponseInjectable, Error>
  /// Not used: `parseOuterResponse()` decides what an error is.
  func ignoreResponseErrorChecks() -> Bool
}

extension CommandRequest {
  /// The serialised response.
  public func parseOuterResponse(data: Data) -> Result<V2ProtocolCommandResponseInjectable, Error> {
    .success(SerializedResponse(data: data))
  }

  /// Returns false.
  public func ignoreResponseErrorChecks() -> Bool { false }
}

/// A request of the protocol.
public protocol V2ProtocolCommandRequestIDInjectable {
  /// The number of the request; the library sets it.
  var id: UInt32 { get set }
  /// The bytes to send.
  func serializedData(partial: Bool) throws -> Data
}

/// A response of the protocol.
public protocol V2ProtocolCommandResponseInjectable {}

/// The bytes of a response, for commands that a program defines.
public struct SerializedResponse: V2ProtocolCommandResponseInjectable {
  /// A serialised response.
  public let data: Data
}

/// Why a command failed.
public enum JacquardCommandError: Error {
  /// The tag refused it.
  case commandFailed(CommandResponseStatus)
  /// The response could not be read.
  case malformedResponse
}

/// The status in a tag's response.
public enum CommandResponseStatus: Int, Error {
  /// The tag does not know the command.
  case errorUnsupported = 1
  /// A parameter is wrong.
  case errorBadParam = 2
  /// The battery is low.
  case errorBattery = 3
  /// The hardware has failed.
  case errorHardware = 4
  /// Not authenticated.
  case errorAuth = 5
  /// Wrong type of device.
  case errorDeviceTypeInfo = 6
  /// Not possible in this state.
  case errorInvalidState = 7
  /// The memory could not be read or written.
  case errorFlashAccess = 8
  /// The checksum does not match.
  case errorChecksum = 9
  /// The tag is busy.
  case errorBusy = 10
  /// The memory is full.
  case errorLowMemory = 15
  /// No response in time.
  case errorAppTimeout = 253
  /// Another failure of the program.
  case errorAppUnknown = 254
  /// Another failure.
  case errorUnknown = 255
}

/// A command of this module, which the library sends.
protocol ServedCommand: CommandRequest {
  func perform(on tag: JacquardTags.Tag) async throws -> Response
}

extension ServedCommand {
  /// A request that cannot be serialised: the library makes the messages of these commands.
  public var request: V2ProtocolCommandRequestIDInjectable { UnserializedRequest() }

  /// Returns an error: the library reads the responses of these commands.
  public func parseResponse(outerProto: Any) -> Result<Response, Error> {
    .failure(JacquardCommandError.malformedResponse)
  }
}

private struct UnserializedRequest: V2ProtocolCommandRequestIDInjectable {
  var id: UInt32 = 0

  func serializedData(partial: Bool) throws -> Data { throw CommandResponseStatus.errorUnsupported }
}

extension CommandRequest {
  /// Sends the command: with the library's function for it, or as the message of the program.
  func send(to tag: JacquardTags.Tag) async throws -> Response {
    if let served = self as? any ServedCommand {
      guard let response = try await served.perform(on: tag) as? Response else {
        throw JacquardCommandError.malformedResponse
      }
      return response
    }
    let response = try await tag.sendRequest([UInt8](request.serializedData(partial: true)))
    return try parseResponse(outerProto: parseOuterResponse(data: Data(response)).get()).get()
  }
}
