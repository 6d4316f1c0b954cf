/// What a connection knows of firmware that it has sent to its tag, over any number of links.
struct FirmwareWork {
  /// The update that is running.
  var update: FirmwareUpdate?
  /// The installation whose outcome is not known yet, also after its update was cancelled.
  var execution: FirmwareExecution?
  /// The images of which the tag has accepted a part from this connection since it was last asked to execute them: it
  /// is not installing them.
  var unexecuted: Set<FirmwareImage.Identity> = []
}
