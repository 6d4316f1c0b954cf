// The few names of Core Bluetooth that programs use with the iOS SDK, so that `import CoreBluetooth` compiles. A
// product of its own: `canImport(CoreBluetooth)` becomes true for every package of a build that contains it.
@_exported import enum JacquardSDK.CBManagerState
@_exported import let JacquardSDK.CBCentralManagerOptionRestoreIdentifierKey
@_exported import let JacquardSDK.CBCentralManagerOptionShowPowerAlertKey
@_exported import let JacquardSDK.CBCentralManagerScanOptionAllowDuplicatesKey
@_exported import let JacquardSDK.CBCentralManagerScanOptionSolicitedServiceUUIDsKey
