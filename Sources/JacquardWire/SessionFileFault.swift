/// The reason why a recording cannot be read at all: without its two leading messages the start of the samples is unknown.
public enum SessionFileFault: String, Error, CaseIterable {
  case truncatedMetadata = "the recording ends inside its metadata"
  case malformedMetadata = "the recording's metadata cannot be decoded"
  case truncatedConfiguration = "the recording ends inside its sensor configuration"
  case malformedConfiguration = "the recording's sensor configuration cannot be decoded"
}
