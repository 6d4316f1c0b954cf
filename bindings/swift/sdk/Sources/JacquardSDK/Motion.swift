import Foundation
import JacquardTags
import OpenCombine

/// The state of a tag's motion capture.
public enum DataCollectionStatus {
  /// No capture runs.
  case idle
  /// A recording or a stream runs.
  case logging
  /// A recording is transferred.
  case dataTransferInProgress
  /// A recording is erased.
  case erasingData
  /// The memory is full.
  case lowMemory
  /// The battery is low.
  case lowBattery
  /// Another failure.
  case error

  init(_ status: MotionStatus) {
    switch status.activity {
    case .idle: self = .idle
    case .recording, .streaming, .capturing: self = .logging
    case .transferring: self = .dataTransferInProgress
    case .erasing: self = .erasingData
    default:
      self = status.text.contains("storage") ? .lowMemory : status.text.contains("battery") ? .lowBattery : .error
    }
  }
}

/// The purpose of a motion capture.
public enum DataCollectionMode: CaseIterable {
  /// No capture runs.
  case none
  /// A recording on the tag.
  case store
  /// A stream.
  case streaming
}

/// Rates of both motion sensors.
public struct IMUSamplingRate {
  let accelerometer: AccelerometerSamplingRate
  let gyroscope: GyroscopeSamplingRate

  /// 25 samples per second of both.
  public static let low = IMUSamplingRate(accelerometer: .hertz25, gyroscope: .hertz25)
  /// 100 and 200 samples per second.
  public static let mid = IMUSamplingRate(accelerometer: .hertz100, gyroscope: .hertz200)
  /// 400 and 800 samples per second.
  public static let high = IMUSamplingRate(accelerometer: .hertz400, gyroscope: .hertz800)

  /// Two rates.
  public init(accelerometer: AccelerometerSamplingRate, gyroscope: GyroscopeSamplingRate) {
    (self.accelerometer, self.gyroscope) = (accelerometer, gyroscope)
  }

  var settings: MotionSettings {
    var settings = MotionSettings()
    (settings.accelerometerRate, settings.gyroscopeRate) = (accelerometer.rawValue, gyroscope.rawValue)
    return settings
  }
}

/// Samples of the accelerometer per second.
public enum AccelerometerSamplingRate: Double {
  /// 25.
  case hertz25 = 25
  /// 50.
  case hertz50 = 50
  /// 0.78.
  case hertz78 = 0.78
  /// 100.
  case hertz100 = 100
  /// 12.5.
  case hertz125 = 12.5
  /// 1.56.
  case hertz156 = 1.56
  /// 200.
  case hertz200 = 200
  /// 3.12.
  case hertz312 = 3.12
  /// 400.
  case hertz400 = 400
  /// 6.25.
  case hertz625 = 6.25
  /// 800.
  case hertz800 = 800
  /// 1600.
  case hertz1600 = 1600
}

/// Samples of the gyroscope per second.
public enum GyroscopeSamplingRate: Double {
  /// 25.
  case hertz25 = 25
  /// 50.
  case hertz50 = 50
  /// 100.
  case hertz100 = 100
  /// 200.
  case hertz200 = 200
  /// 400.
  case hertz400 = 400
  /// 800.
  case hertz800 = 800
  /// 1600.
  case hertz1600 = 1600
  /// 3200.
  case hertz3200 = 3200
}

/// The progress of a download.
public enum IMUSessionDownloadState {
  /// Percent.
  case downloading(Int)
  /// The file.
  case downloaded(URL)
}

/// A recording on the tag.
public struct IMUSessionInfo: Codable {
  /// The name of the recording.
  public let sessionID: String
  /// The campaign.
  public let campaignID: String
  /// The group.
  public let groupID: String
  /// The product.
  public let productID: String
  /// The person or thing that moved.
  public let subjectID: String

  init(_ session: Session) {
    (sessionID, campaignID, groupID) = (session.name, session.campaign, session.group)
    (productID, subjectID) = (session.product, session.subject)
  }

  init(sessionID: String, campaignID: String, groupID: String, productID: String, subjectID: String) {
    (self.sessionID, self.campaignID, self.groupID) = (sessionID, campaignID, groupID)
    (self.productID, self.subjectID) = (productID, subjectID)
  }

  var session: Session {
    var session = Session(sessionID)
    (session.campaign, session.group) = (campaignID, groupID)
    (session.product, session.subject) = (productID, subjectID)
    return session
  }

  func isSame(as session: Session) -> Bool {
    [sessionID, campaignID, groupID, productID, subjectID]
      == [session.name, session.campaign, session.group, session.product, session.subject]
  }
}

/// The contents of a recording.
public struct IMUSessionData {
  /// The names of the recording.
  public let metadata: IMUSessionInfo
  /// The samples of the recording.
  public let samples: [IMUSample]
}

/// A sample of the motion sensors.
public struct IMUSample: Equatable {
  /// Three axes.
  public struct Vector: Equatable {
    /// x, or roll.
    public var x: Int16
    /// y, or pitch.
    public var y: Int16
    /// z, or yaw.
    public var z: Int16

    init(_ vector: MotionVector) { (x, y, z) = (vector.x, vector.y, vector.z) }
  }

  /// Counts of the accelerometer.
  public var acceleration: Vector
  /// Counts of the gyroscope.
  public var gyro: Vector
  /// The tag's clock.
  public var timestamp: UInt32

  init(_ sample: MotionSample) {
    acceleration = Vector(sample.acceleration)
    gyro = Vector(sample.rotation)
    timestamp = UInt32(truncatingIfNeeded: sample.ticks)
  }

  init(_ counts: MotionCounts) {
    acceleration = Vector(counts.acceleration)
    gyro = Vector(counts.rotation)
    timestamp = counts.ticks
  }
}

/// Why motion cannot be captured.
public enum ModuleError: Error {
  /// The tag does not have the module, which came from the cloud.
  case moduleUnavailable
  /// The module did not start.
  case failedToLoadModule
  /// The module did not start.
  case failedToActivateModule
  /// The module was not unloaded.
  case failedToDeactivateModule
  /// A response of the tag could not be read.
  case invalidResponse
  /// The tag refused a parameter, or a name is empty or too long.
  case invalidParameter
  /// No response in time.
  case timedOut
  /// The file cannot be written.
  case directoryUnavailable
  /// A download is running.
  case downloadInProgress
  /// The file is empty or damaged.
  case emptyDataReceived
  /// A recording or a stream is running.
  case loggingAlreadyInProgress
  /// Not possible in this state.
  case invalidDataCollectionState
  /// The battery is low.
  case lowBattery
  /// The memory is full.
  case lowMemory

  /// nil for errors that have no name here.
  init?(_ error: Error) {
    guard let error = error as? JacquardError else { return nil }
    switch error.code {
    case .moduleMissing: self = .moduleUnavailable
    case .malformedResponse: self = .invalidResponse
    case .invalidArgument: self = .invalidParameter
    case .timeout: self = .timedOut
    case .system: self = .directoryUnavailable
    case .damagedSession: self = .emptyDataReceived
    case .captureInProgress: self = .loggingAlreadyInProgress
    case .busy: self = .invalidDataCollectionState
    case .lowBattery: self = .lowBattery
    case .lowStorage: self = .lowMemory
    default: return nil
    }
  }
}

/// Why motion is not streamed.
public enum IMUStreamingError: Error {
  /// Not possible in this state.
  case invalidStatus
  /// A sample could not be read.
  case parsingError
  /// Does not occur.
  case configSetError
}
