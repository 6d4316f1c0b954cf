import CJacquard

/// Sequences of events begin with the current value, where there is one, and continue on the next link after a lost
/// one. They throw the error that ended the connection. If they are requested before the link is established, no event
/// is missed.
extension Connection {
  /// Gestures. None is dropped: the sequence ends with `.overflow` if more than 65,536 wait for the reader.
  public func gestures(buffering: Buffering = .everything) throws(JacquardError) -> Events<Gesture> {
    try events(buffering, Gesture.init) {
      jacquard_connection_on_gesture($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// Touch samples while the gear is in continuous mode. Only the newest wait for the reader, about 5 s of them.
  public func touches(buffering: Buffering = .newest(256)) throws(JacquardError) -> Events<Touch> {
    try events(buffering, Touch.init) {
      jacquard_connection_on_touch($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// Battery notifications: the latest one of the current link, then each.
  public func batteries(buffering: Buffering = .everything) throws(JacquardError) -> Events<Battery> {
    try events(buffering, { (event: jacquard_battery_event) in value(event.battery).map { Battery($0) } }) {
      jacquard_connection_on_battery($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// The gear that the tag is attached to, nil for none or without a link: the current one, unless the tag has not
  /// reported it yet, then each change.
  public func gear(buffering: Buffering = .everything) throws(JacquardError) -> Events<Component?> {
    let connection = Weak(self)
    return try events(
      buffering,
      { (event: jacquard_gear) -> Component?? in
        connection.object.map { Component(retaining: event.component, $0) }
      }
    ) {
      jacquard_connection_on_gear($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// The mode of the gear and the process that has set it: the current one if gear is attached, then each change.
  public func touchModes(buffering: Buffering = .everything) throws(JacquardError) -> Events<TouchModeReport> {
    try events(buffering, TouchModeReport.init) {
      jacquard_connection_on_touch_mode($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// The tag's name: the last one, if it is known, then each change.
  public func names(buffering: Buffering = .everything) throws(JacquardError) -> Events<String> {
    try events(buffering, { (event: jacquard_name) in text(event.name) }) {
      jacquard_connection_on_name($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// Each report of the tag that it has loaded a module, whichever program requested it.
  public func moduleLoads(buffering: Buffering = .everything) throws(JacquardError) -> Events<ModuleLoad> {
    try events(buffering, ModuleLoad.init) {
      jacquard_connection_on_module_load($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// Every serialised Notification, including those that are also delivered decoded.
  public func notifications(buffering: Buffering = .newest(4096)) throws(JacquardError) -> Events<[UInt8]> {
    try events(buffering, array) {
      jacquard_connection_on_notification($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// The payloads of the raw data channel.
  public func rawData(buffering: Buffering = .newest(4096)) throws(JacquardError) -> Events<[UInt8]> {
    try events(buffering, array) {
      jacquard_connection_on_raw_data($0, { receive($0, $1) }, $1, release, $2)
    }
  }

  /// Each value of the raw data characteristic as received, including the fragment header.
  public func rawValues(buffering: Buffering = .newest(4096)) throws(JacquardError) -> Events<[UInt8]> {
    try events(buffering, array) {
      jacquard_connection_on_raw_value($0, { receive($0, $1) }, $1, release, $2)
    }
  }
}

func array(_ event: jacquard_bytes) -> [UInt8] {
  bytes(event.data, event.size)
}
