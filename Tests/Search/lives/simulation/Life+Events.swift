import EventLoop
import TagSimulator

/// Events outside the programs.
extension Life {
  func happen(_ kind: Action.Kind, _ dice: inout Dice) {
    let tag = dice.below(plan.tagCount)
    switch kind {
    case .gesture: for _ in 0..<dice.pick([1, 1, 1, 3, 10]) { gestures.gesture(tag, on: stage) }
    case .touch: for _ in 0..<dice.pick([1, 5, 20]) { stage.happen("tag \(tag + 1) touch sweep") }
    case .stroke:
      stage.happen(
        "tag \(tag + 1) stroke \(dice.pick(Stroke.names)) person \(dice.number(1...50)) seed \(dice.below(1000))")
    case .recording: recordings.add(to: tag, samples: dice.pick([1, 20, 100, 600]))
    case .gear: stage.happen("tag \(tag + 1) " + gear(&dice))
    case .tag:
      let fault = tagFault(&dice)
      if fault.hasPrefix("raw-packet") { recordings.packetIsSentBesides(tag) }
      stage.happen("tag \(tag + 1) " + fault)
    case .radio: stage.happen("tag \(tag + 1) " + radioFault(&dice))
    case .bluetoothd:
      stage.happen(
        "bluetoothd "
          + dice.pick([
            "kill for \(time(&dice))", "stop for \(time(&dice))", "restart", "restart after \(time(&dice))",
            "hang for \(time(&dice))", "kill", "start",
          ]))
    case .bus: if stage.bus.isRunning { loseBus(for: .milliseconds(dice.pick([0, 50, 2000, 12_000]))) }
    case .adapter:
      stage.happen(
        "adapter "
          + dice.pick([
            "off for \(time(&dice))", "blocked for \(time(&dice))", "removed for \(time(&dice))", "off", "on",
            "removed",
            "added as hci\(dice.below(2))",
          ]))
    case .disk:
      let fault = dice.pick(Disk.Fault.allCases)
      stage.note("happens: disk \(fault)")
      disk.happen(fault)
    case .foreign:
      let number = dice.number(1...2)
      let act = foreign(&dice)
      if ["connect", "pair"].contains(act) { stage.othersConnect = true }
      stage.happen("tag \(tag + 1) foreign \(number) \(act)")
    default: stage.happen(quirk(&dice))
    }
  }

  private func loseBus(for duration: Duration) {
    stage.killBus()
    stage.loop.schedule(after: duration) { [unowned stage] in stage.startBus() }
  }

  private func time(_ dice: inout Dice) -> String { dice.pick(["5ms", "100ms", "1s", "4s", "15s", "40s"]) }

  private func gear(_ dice: inout Dice) -> String {
    dice.pick([
      "gear attach levis-trucker", "gear attach patch-b0", "gear attach saint-laurent-backpack", "gear detach",
      "gear attach unlisted 1 2",
    ])
  }

  private func radioFault(_ dice: inout Dice) -> String {
    dice.pick([
      "drop link", "drop link", "drop link", "out-of-range for \(time(&dice))", "out-of-range", "in-range",
      "advertise off for \(time(&dice))", "sleep for \(time(&dice))", "reboot", "rssi -90", "advertise every 2s",
    ])
  }

  private func tagFault(_ dice: inout Dice) -> String {
    let damage = dice.pick(["truncated", "empty"])
    return dice.pick([
      "latency \(time(&dice))", "latency 0s", "air-time 10ms", "air-time 0s", "mute on for \(time(&dice))",
      "on request battery once: drop", "on request led once: drop", "corrupt notification \(damage)",
      "corrupt response \(damage)", "storage full", "bond forget", "bond refused", "bond fleeting",
      "battery \(dice.below(100))", "load-report never", "load-report before",
      "greeting begun", "send notification c0 0a 08 09 10 63 18 00 c0 bb 01 2a",
      "raw-packet \(dice.below(256)) 01 02 03",
    ])
  }

  private func foreign(_ dice: inout Dice) -> String {
    dice.pick([
      "subscribe", "subscribe notification", "unsubscribe", "scan", "scan rssi -50", "scan stop", "connect",
      "disconnect",
      "pair", "remove", "exit", "subscribe response",
    ])
  }

  private func quirk(_ dice: inout Dice) -> String {
    dice.pick([
      "connect takes \(time(&dice))", "connect fails le-connection-abort-by-local 2 times", "connect hangs once",
      "connect flaps 2 times", "resolve takes \(time(&dice))", "resolve incomplete once", "disconnect takes 5ms",
      "pairing takes 3s", "pairing asks confirmation", "services renumbered",
      "discovery refused 2 times", "suspend for \(time(&dice))", "quirk silent-connected off",
      "quirk resolved-first off",
      "quirk unanswered-connect on for 20s", "quirk disconnected-signal on",
      "bluez 5.\(dice.pick([66, 72, 82, 83, 86]))",
      "quirk unanswered-security off",
    ])
  }
}
