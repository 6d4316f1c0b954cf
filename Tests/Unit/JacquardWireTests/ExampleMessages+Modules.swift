import JacquardWire

private let imuModule = WireModuleDescriptor.with {
  $0.name = "IMU"
  $0.vendorID = IMUModule.vendor.rawValue
  $0.productID = IMUModule.product.rawValue
  $0.moduleID = IMUModule.module.rawValue
}

/// The examples of modules, motion and firmware.
let modulesAndFirmware: [String: @Sendable () -> ExampleMessage] = [
  "list modules, id 17": { request(.listModules, id: 17) },
  "list modules response": {
    response(id: 17) {
      var module = imuModule
      module.verMajor = 0
      module.verMinor = 17
      module.verPoint = 0
      module.isEnabled = false
      $0.listModules.modules = [module]
    }
  },
  "load module, id 18": { request(.loadModule, id: 18) { $0.loadModule.module = imuModule } },
  "load module notification, OK": {
    notification(.loadModule) {
      $0.loadModuleNotif.status = TagStatus.ok.rawValue
      $0.loadModuleNotif.module.moduleID = IMUModule.module.rawValue
    }
  },
  "data collection status, id 19": {
    request(.collectionStatus, id: 19) { $0.status = WireDataCollectionStatusRequest() }
  },
  "data collection status response, idle": {
    response(id: 19) { $0.dcStatusResponse.dcStatus = CollectionStatus.idle.rawValue }
  },
  "IMU config, 25 Hz / 25 Hz, id 20": {
    request(.configWrite, id: 20) {
      $0.configWrite.imuConfig.accelSampleRate = SamplingRate.low.accelerometer.rawValue
      $0.configWrite.imuConfig.gyroSampleRate = SamplingRate.low.gyroscope.rawValue
    }
  },
  "start recording (store), id 21": {
    request(.collectionStart, id: 21) {
      $0.start.metadata = .with {
        $0.campaignID = "IMU_Campaign"
        $0.sessionID = "IMU_Group"
        $0.trialID = "1700000000"
        $0.subjectID = "IMU_Subject"
        $0.productID = "IMU_Product"
        $0.mode = 1
      }
    }
  },
  "start response, logging": { response(id: 21) { $0.start.dcStatus = CollectionStatus.logging.rawValue } },
  "stop, id 22": { request(.collectionStop, id: 22) { $0.stop.isError = true } },
  "list sessions, id 23": {
    request(.collectionList, id: 23) { $0.trialList = WireDataCollectionTrialListRequest() }
  },
  "session list notification": {
    notification(.collectionList) {
      $0.trialList.totalTrials = 1
      $0.trialList.trialIndex = 0
      $0.trialList.trial = .with {
        $0.trialID = "1627344030"
        $0.campaignID = "jqCampaign"
        $0.sessionID = "jqSession"
        $0.productID = "jqProduct"
        $0.trialData = [
          .with {
            $0.subjectID = "jqSession"
            $0.sensorData = [
              .with {
                $0.sensorID = 0
                $0.fsize = 2900
                $0.crc16 = 0x031a
              }
            ]
          }
        ]
      }
    }
  },
  "download session from offset 1016, id 24": {
    request(.collectionData, id: 24) {
      $0.trialData.campaignID = "jqCampaign"
      $0.trialData.sessionID = "jqSession"
      $0.trialData.trialID = "1627344030"
      $0.trialData.subjectID = "jqSession"
      $0.trialData.productID = "jqProduct"
      $0.trialData.sensorID = 0
      $0.trialData.offset = 1016
    }
  },
  "raw data packet, sequence 5": { .raw([5] + (0x10...0x23)) },
  "acknowledgement of sequence 5": { .raw([5, RawDataPacket.acknowledgementMark]) },
  "erase finished (error notification, code 0 = idle)": {
    notification(.collectionStatus) {
      $0.errorNotification.subsystem = 1
      $0.errorNotification.errorcode = CollectionStatus.idle.rawValue
    }
  },
  "DFU status, id 25": {
    request(.dfuStatus, id: 25) {
      $0.dfuStatus.vendorID = tagVendor
      $0.dfuStatus.productID = tagProduct
    }
  },
  "DFU status response, half written": {
    response(id: 25) {
      $0.dfuStatus.component = 0
      $0.dfuStatus.finalSize = 256
      $0.dfuStatus.finalCrc = 0x7e55
      $0.dfuStatus.currentSize = 128
      $0.dfuStatus.currentCrc = UInt32(CRC16.checksum(Array(0..<128)))
    }
  },
  "DFU prepare, id 26": {
    request(.dfuPrepare, id: 26) {
      $0.dfuPrepare.component = 0
      $0.dfuPrepare.finalSize = 256
      $0.dfuPrepare.finalCrc = UInt32(CRC16.checksum(Array(0...255)))
      $0.dfuPrepare.vendorID = tagVendor
      $0.dfuPrepare.productID = tagProduct
    }
  },
  "DFU prepare response": { response(id: 26) },
  "DFU write at 128, id 27": {
    request(.dfuWrite, id: 27) {
      $0.dfuWrite.offset = 128
      $0.dfuWrite.data = .init(128...255)
    }
  },
  "DFU write response": {
    response(id: 27) {
      $0.dfuWrite.offset = 256
      $0.dfuWrite.crc = 0x7e55
    }
  },
  "DFU execute, id 28": {
    request(.dfuExecute, id: 28) {
      $0.dfuExecute.vendorID = tagVendor
      $0.dfuExecute.productID = tagProduct
      $0.dfuExecute.updateSched = .updateNow
    }
  },
  "DFU executed notification (gear)": {
    notification(.dfuExecute) {
      $0.dfuExecuteUpdateNotif = .with {
        $0.vendorID = backpackVendor
        $0.productID = backpackProduct
        $0.firmwareMajor = 1
        $0.firmwareMinor = 2
        $0.firmwarePoint = 3
        $0.status = TagStatus.ok.rawValue
      }
    }
  },
  "error response, bad parameter, id 29": { response(id: 29, status: .badParameter) },
  "response with two-byte id 200": { response(id: 200) },
]
