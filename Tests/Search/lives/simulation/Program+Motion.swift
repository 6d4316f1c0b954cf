import CJacquard
import EventLoop
import TagSimulator

extension Program {
  /// A random use of a tag's motion sensor.
  func useMotion(_ connection: ConnectionUse, _ dice: inout Dice) {
    switch dice.weighed([(0, 5), (1, 4), (2, 3), (3, 4)]) {
    case 0: motionCommand(connection, &dice)
    case 1: if !download(connection, &dice) { motionCommand(connection, &dice) }
    case 2: stream(connection, keeping: dice.chance(85))
    default:
      let kinds: [Promise.Kind] = [.stream, .download]
      let running = promises.filter { kinds.contains($0.kind) && $0.handle != nil }
      if !running.isEmpty { cancel(dice.pick(running)) }
    }
  }

  /// Some of these commands take more than one turn, so they need not complete in the order in which they were given.
  private func motionCommand(_ connection: ConnectionUse, _ dice: inout Dice) {
    guard let tag = connection.tagHandle else { return }
    let name = dice.chance(60) ? life.recordings.randomName(connection.tag, &dice) : nil
    let kind = dice.below(8)
    register(.motion, keeping: dice.chance(60)) { userData, destroy, output in
      switch kind {
      case 0, 1: return jacquard_tag_prepare_motion(tag, nil, Self.onDone, userData, destroy, output)
      case 2: return jacquard_tag_release_motion(tag, nil, Self.onDone, userData, destroy, output)
      case 3:
        return withSession(life.recordings.newName(), 0) {
          jacquard_tag_start_recording(tag, $0, nil, nil, Self.onDone, userData, destroy, output)
        }
      case 4: return jacquard_tag_stop_motion(tag, nil, Self.onDone, userData, destroy, output)
      case 5:
        return jacquard_tag_read_motion_status(
          tag, nil,
          { status, error, userData in
            Promise.of(userData)?.called("\(status?.pointee.code ?? 0) \(Program.describe(error))")
          }, userData, destroy, output)
      case 6:
        return jacquard_tag_list_sessions(
          tag, nil,
          { _, count, error, userData in Promise.of(userData)?.called("\(count) \(Program.describe(error))") },
          userData, destroy, output)
      default:
        guard let name else {
          return jacquard_tag_erase_all_sessions(tag, nil, Self.onDone, userData, destroy, output)
        }
        return withSession(name, 0) {
          jacquard_tag_erase_session(tag, $0, nil, Self.onDone, userData, destroy, output)
        }
      }
    }
  }

  // MARK: Downloads

  /// - Returns: whether the tag has a recording.
  private func download(_ connection: ConnectionUse, _ dice: inout Dice) -> Bool {
    let name = life.recordings.randomName(connection.tag, &dice)
    guard let name, let file = life.recordings.file(name) else { return false }
    register(.download, keeping: dice.chance(60), of: connection) { userData, destroy, output in
      Promise.of(userData)?.file = file
      return withSession(name, file.count) {
        jacquard_connection_download_session(
          connection.handle, $0, nil,
          { progress, userData in
            guard let promise = Promise.of(userData), let progress = progress?.pointee else { return 1 }
            promise.called("\(progress.received) bytes", isLast: false) { promise.received(progress) }
            return 0
          },
          { download, error, userData in
            guard let promise = Promise.of(userData) else { return }
            promise.called("\(download?.pointee.size ?? 0) \(Program.describe(error))") {
              if download != nil { promise.downloaded() }
            }
          }, userData, destroy, output)
      }
    }
    return true
  }

  // MARK: Streams

  /// A stream of 25 samples a second, like all streams of a life: a change of the rate looks like a gap.
  private func stream(_ connection: ConnectionUse, keeping: Bool) {
    register(.stream, keeping: keeping, of: connection) { userData, destroy, output in
      jacquard_connection_stream_motion(
        connection.handle, nil,
        { event, userData in
          guard let promise = Promise.of(userData), let event = event?.pointee else { return }
          promise.called("\(event.count) samples, \(event.missing) missing", isLast: false) {
            promise.ledger.take(event, promise)
          }
        },
        { error, userData in Promise.of(userData)?.called(Program.describe(error)) }, userData, destroy, output)
    }
  }
}

extension Promise {
  /// The bytes must arrive in order, and each once.
  fileprivate func received(_ data: jacquard_download_data) {
    let bytes = UnsafeBufferPointer(start: data.data, count: data.size)
    let end = receivedCount + bytes.count
    let isComparable = connection.map { program.life.recordings.areComparable($0.tag) } ?? true
    if end > file.count || Int(data.received) != end
      || isComparable && !bytes.elementsEqual(file[receivedCount..<end])
    {
      program.stage.fail("download #\(number) received other bytes than those of the recording at \(receivedCount)")
    }
    receivedCount = end
  }

  fileprivate func downloaded() {
    if receivedCount != file.count {
      program.stage.fail("download #\(number) completed with \(receivedCount) of \(file.count) bytes")
    }
  }
}

/// A session with the labels of recordings that a scenario adds.
private func withSession(_ name: String, _ size: Int, _ body: (UnsafePointer<jacquard_session>) -> CInt) -> CInt {
  name.withCString { name in
    "jqCampaign".withCString { campaign in
      "jqSession".withCString { group in
        "jqProduct".withCString { product in
          var session = jacquard_session()
          session.struct_size = UInt32(MemoryLayout.size(ofValue: session))
          (session.name, session.campaign, session.group, session.subject) = (name, campaign, group, group)
          (session.product, session.size, session.checksum) = (product, UInt32(size), -1)
          return body(&session)
        }
      }
    }
  }
}
