// swift-tools-version: 6.2
import PackageDescription

// A package of its own, because a program that uses JacquardTags alone must neither fetch nor build OpenCombine.
// Language mode 5: the names of the iOS SDK are not `Sendable`, and could not be without changes of programs.
let settings: [SwiftSetting] = [.swiftLanguageMode(.v5), .enableUpcomingFeature("NonisolatedNonsendingByDefault")]

func example(_ name: String) -> Target {
  .executableTarget(
    name: "sdk-\(name)", dependencies: ["JacquardSDK"], path: "examples/\(name)",
    swiftSettings: [.swiftLanguageMode(.v5)])
}

let package = Package(
  name: "libjacquard-swift-sdk",
  products: [
    .library(name: "JacquardSDK", targets: ["JacquardSDK"]),
    .library(name: "JacquardOperators", targets: ["JacquardOperators"]),
    .library(name: "CoreBluetooth", targets: ["CoreBluetooth"]),
  ],
  dependencies: [
    .package(name: "libjacquard-swift", path: ".."),
    .package(url: "https://github.com/OpenCombine/OpenCombine", exact: "0.14.0"),
  ],
  targets: [
    .target(
      name: "JacquardSDK",
      dependencies: [
        .product(name: "JacquardTags", package: "libjacquard-swift"),
        .product(name: "OpenCombine", package: "OpenCombine"),
        .product(name: "OpenCombineDispatch", package: "OpenCombine"),
      ], swiftSettings: settings),
    .target(
      name: "JacquardOperators", dependencies: [.product(name: "OpenCombine", package: "OpenCombine")],
      swiftSettings: settings),
    .target(name: "CoreBluetooth", dependencies: ["JacquardSDK"], swiftSettings: settings),
    example("gestures"),
    example("reconnect"),
    example("effects"),
    example("motion"),
    .testTarget(
      name: "JacquardSDKTests", dependencies: ["JacquardSDK", "JacquardOperators", "CoreBluetooth"],
      swiftSettings: settings),
  ]
)
