import JacquardWire

/// The examples, built from values.
enum ExampleMessage: Equatable {
  case request(WireRequest)
  case response(WireResponse)
  case notification(WireNotification)
  case raw([UInt8])

  static func build(_ name: String) -> ExampleMessage? { (tagAndGear[name] ?? modulesAndFirmware[name])?() }

  func packet() -> [UInt8] {
    switch self {
    case .request(let message): message.packet()
    case .response(let message): message.packet()
    case .notification(let message): message.packet()
    case .raw(let bytes): bytes
    }
  }

  /// The values that a receiver decodes from a packet on the example's channel.
  init(_ packet: [UInt8], channel: String) throws {
    self = try packet.withUnsafeBytes { bytes in
      switch channel {
      case "command": .request(try WireRequest(packet: bytes))
      case "response": .response(try WireResponse(packet: bytes))
      case "notification": .notification(try WireNotification(packet: bytes))
      default: .raw(Array(bytes))
      }
    }
  }
}

private let gearComponent: UInt32 = 101
let tagVendor = KnownGear.tag.vendor.rawValue
let tagProduct = KnownGear.tag.product.rawValue
let backpackVendor: UInt32 = 0xfb57_a112
let backpackProduct: UInt32 = 0x5cd8_78b0

func request(
  _ command: Command, id: UInt32, component: UInt32? = nil, _ fill: (inout WireRequest) -> Void = { _ in }
) -> ExampleMessage {
  var message = WireRequest(command, component: component)
  message.id = id
  fill(&message)
  return .request(message)
}

func response(
  id: UInt32, status: TagStatus = .ok, component: UInt32 = 0, _ fill: (inout WireResponse) -> Void = { _ in }
) -> ExampleMessage {
  var message = WireResponse()
  message.id = id
  message.status = status.rawValue
  message.componentID = component
  fill(&message)
  return .response(message)
}

func notification(
  _ command: Command, component: UInt32 = 0, _ fill: (inout WireNotification) -> Void
) -> ExampleMessage {
  var message = WireNotification()
  message.domain = command.domain
  message.opcode = command.opcode
  message.componentID = component
  fill(&message)
  return .notification(message)
}

private func frame(_ red: UInt32, _ green: UInt32, _ blue: UInt32, _ milliseconds: UInt32) -> WireLedPatternFrames {
  .with {
    $0.color = .with {
      $0.red = red
      $0.green = green
      $0.blue = blue
    }
    $0.lengthMs = milliseconds
  }
}

private func pattern(
  _ type: WirePatternType, _ play: WirePatternPlayType, _ frames: [WireLedPatternFrames], _ milliseconds: UInt32
) -> WireLedPatternRequest {
  .with {
    $0.patternType = type
    $0.frames = frames
    $0.durationMs = milliseconds
    $0.intensityLevel = 100
    $0.playPauseToggle = play
    $0.resumable = false
    $0.haltAll = false
  }
}

private let tagAndGear: [String: @Sendable () -> ExampleMessage] = [
  "hello request, id 1": { request(.hello, id: 1) },
  "hello response": {
    response(id: 1) {
      $0.hello.protocolMin = 2
      $0.hello.protocolMax = 2
      $0.hello.vendor = "Google Inc."
      $0.hello.model = "UJT"
      $0.hello.vendorID = tagVendor
      $0.hello.productID = tagProduct
    }
  },
  "begin request, id 2": { request(.begin, id: 2) { $0.begin.protocol = 2 } },
  "begin response": { response(id: 2) { $0.begin = WireBeginResponse() } },
  "device info request for the tag, id 3": {
    request(.deviceInfo, id: 3, component: 0) { $0.deviceInfo.component = 0 }
  },
  "device info response": {
    response(id: 3) {
      $0.deviceInfo.vendor = "Google Inc."
      $0.deviceInfo.model = "UJT"
      $0.deviceInfo.revision = 4
      $0.deviceInfo.uuid = "0-07-0000AAAAA00000-0000"
      $0.deviceInfo.firmwareMajor = 1
      $0.deviceInfo.firmwareMinor = 96
      $0.deviceInfo.firmwarePoint = 0
      $0.deviceInfo.bootloaderMajor = 1
      $0.deviceInfo.bootloaderMinor = 0
      $0.deviceInfo.bootloaderPoint = 0
      $0.deviceInfo.vendorID = tagVendor
      $0.deviceInfo.productID = tagProduct
    }
  },
  "config write, queue depth 14, id 4": {
    request(.configWrite, id: 4) { $0.configWrite.bleConfig.notifQueueDepth = 14 }
  },
  "config write response": {
    response(id: 4) {
      $0.configResponse.bleConfig = .with {
        $0.customAdvName = "Jacquard-0000"
        $0.txPowerDefault = -12
        $0.txPowerMax = 0
        $0.fastAdvIntervalMs = 20
        $0.fastAdvDurationSec = 60
        $0.slowAdvIntervalMs = 1285
        $0.slowAdvDurationSec = 60
        $0.minConnInterval = 6
        $0.maxConnInterval = 400
        $0.notifQueueDepth = 14
      }
    }
  },
  "battery request, id 5": {
    request(.batteryStatus, id: 5) {
      $0.batteryStatusRequest.readBatteryLevel = true
      $0.batteryStatusRequest.readChargingStatus = true
    }
  },
  "battery response": {
    response(id: 5) {
      $0.batteryStatusResponse.batteryLevel = 49
      $0.batteryStatusResponse.chargingStatus = 2
    }
  },
  "battery notification": {
    notification(.batteryStatus) {
      $0.batteryStatusNotification.batteryLevel = 50
      $0.batteryStatusNotification.chargingStatus = 2
    }
  },
  "attached notification": {
    notification(.attached) {
      $0.attached.attachState = true
      $0.attached.vendorID = backpackVendor
      $0.attached.productID = backpackProduct
      $0.attached.componentID = gearComponent
    }
  },
  "detached notification": { notification(.attached) { $0.attached.attachState = false } },
  "touch mode = gesture, component 101, id 6": {
    request(.gearData, id: 6, component: gearComponent) {
      $0.data.inference = .dataStreamEnable
      $0.data.touch = .dataStreamDisable
    }
  },
  "touch mode response": {
    response(id: 6, component: gearComponent) {
      $0.data.inference = 1
      $0.data.touch = 0
    }
  },
  "touch mode = continuous, id 7": {
    request(.gearData, id: 7, component: gearComponent) {
      $0.data.inference = .dataStreamDisable
      $0.data.touch = .dataStreamEnable
    }
  },
  "config write, queue depth 2, id 8": {
    request(.configWrite, id: 8) { $0.configWrite.bleConfig.notifQueueDepth = 2 }
  },
  "gear info request, id 9": {
    request(.gearInfo, id: 9, component: gearComponent) { $0.deviceInfo.component = gearComponent }
  },
  "gesture notification, double tap": {
    notification(.gearData, component: gearComponent) { $0.data.inferenceData.event = Gesture.doubleTap.rawValue }
  },
  "gesture notification, cover": {
    notification(.gearData, component: gearComponent) { $0.data.inferenceData.event = Gesture.cover.rawValue }
  },
  "touch notification": {
    notification(.gearData, component: gearComponent) {
      $0.data.touchData.sequence = 1
      $0.data.touchData.diffDataScaled = .init([2] + (1...12))
    }
  },
  "LED on the tag: solid blue 5 s, id 10": {
    request(.ledPattern, id: 10, component: 0) {
      $0.ledPatternRequest = pattern(.solid, .play, [frame(0, 0, 255, 1000)], 5000)
    }
  },
  "LED on gear: custom 4 frames, toggle, id 11": {
    request(.gearLED, id: 11, component: gearComponent) {
      $0.ledPatternRequest = pattern(
        .custom, .toggle,
        [frame(255, 0, 0, 250), frame(0, 255, 0, 250), frame(0, 0, 255, 250), frame(0, 0, 0, 250)], 6000)
    }
  },
  "haptic: sine increase 170/30 ms, 60 %, one repeat, id 12": {
    request(.gearHaptic, id: 12, component: gearComponent) {
      $0.haptic.frames = .with {
        $0.onMs = 170
        $0.offMs = 30
        $0.pattern = .hapticSymbolSineIncrease
        $0.maxAmplitudePercent = 60
        $0.repeatNMinusOne = 1
      }
    }
  },
  "rename to \"Test name\", id 13": {
    request(.configWrite, id: 13) { $0.configWrite.bleConfig.customAdvName = "Test name" }
  },
  "disconnect now, id 14": {
    request(.requestDisconnect, id: 14) {
      $0.bleDisconnectRequest.timeoutSecond = 0
      $0.bleDisconnectRequest.reconnectOnlyOnWom = false
    }
  },
  "custom config set current_dc_mode = int32 1, id 15": {
    request(.configSet, id: 15) {
      $0.configSetRequest.vid = IMUModule.vendor.rawValue
      $0.configSetRequest.pid = IMUModule.product.rawValue
      $0.configSetRequest.config.key = "current_dc_mode"
      $0.configSetRequest.config.int32Val = 1
    }
  },
  "custom config get, id 16": {
    request(.configGet, id: 16) {
      $0.configGetRequest.vid = IMUModule.vendor.rawValue
      $0.configGetRequest.pid = IMUModule.product.rawValue
      $0.configGetRequest.key = "current_dc_mode"
    }
  },
  "custom config get response": {
    response(id: 16) {
      $0.configGetResponse.config.key = "current_dc_mode"
      $0.configGetResponse.config.int32Val = 1
    }
  },
]
