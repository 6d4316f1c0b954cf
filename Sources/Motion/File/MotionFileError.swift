/// The reason why a motion file cannot be read or written at all. Its two leading messages specify where the samples
/// begin.
public enum MotionFileError: String, Error, CaseIterable, Sendable {
  case truncatedMetadata = "the motion file ends inside its metadata"
  case malformedMetadata = "the motion file's metadata cannot be decoded"
  case oversizedMetadata = "the motion file's metadata is larger than 64 KiB"
  case truncatedConfiguration = "the motion file ends inside its sensor configuration"
  case malformedConfiguration = "the motion file's sensor configuration cannot be decoded"
  case oversizedConfiguration = "the motion file's sensor configuration is larger than 64 KiB"
}
