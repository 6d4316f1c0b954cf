// swift-tools-version: 6.2
import PackageDescription

// Everything above EventLoop is confined to its manager's loop: plain classes without locks. Region isolation refuses
// code that takes such an object off its loop: see docs/architecture.md. Asynchronous functions run where their caller
// runs. The linker removes unused functions; swiftc keeps public ones unless it knows that nothing else is linked
// later.
let confined: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
  // The public headers include <jacquard.h>.
  .unsafeFlags(["-Xcc", "-I\(Context.packageDirectory)/include"]),
  .unsafeFlags(
    ["-Xfrontend", "-function-sections", "-Xfrontend", "-internalize-at-link"], .when(configuration: .release)),
]

// The library's modules. Regular expressions, which would add a megabyte, do not compile.
let small = confined + [.unsafeFlags(["-Xfrontend", "-disable-implicit-string-processing-module-import"])]

// Modules that only compute. Their tests do little else, and are several times faster with an optimized module.
let computing = small + [.unsafeFlags(["-O", "-assert-config", "Debug"], .when(configuration: .debug))]

// Nothing prints the values of such a module by the names of their fields or cases.
let withoutReflection: [SwiftSetting] = [
  .unsafeFlags(["-Xfrontend", "-disable-reflection-metadata"], .when(configuration: .release))
]

// Places the functions that run for every notification next to each other: see Tests/System/bench/hot-path. The name of
// a function that no longer exists is not an error.
let hotPathTogether = [
  "--symbol-ordering-file=\(Context.packageDirectory)/Sources/JacquardABI/hot-path", "--no-warn-symbol-ordering",
].flatMap { ["-Xlinker", $0] }

// lld comes with Swift. It packs relocations, which the loader supports from glibc 2.36 on: docs/benchmarks.md lists
// what each option saves.
let linked: [LinkerSetting] = [
  .unsafeFlags(["-use-ld=lld"]),
  .unsafeFlags(
    ["-z", "pack-relative-relocs", "--build-id"].flatMap { ["-Xlinker", $0] },
    .when(configuration: .release)),
]

// Required for `@implementation` before it became part of the language.
#if compiler(<6.3)
  let implementsHeader: [SwiftSetting] = [
    .enableExperimentalFeature("CImplementation"),
    .unsafeFlags(["-import-objc-header", "\(Context.packageDirectory)/Sources/JacquardABI/link/public.h"]),
  ]
#else
  let implementsHeader: [SwiftSetting] = []
#endif

// With JACQUARD_FUZZ the files of Tests/Search/fuzz are a program for libFuzzer, otherwise a test that runs the inputs
// that libFuzzer found earlier.
let isFuzzed = Context.environment["JACQUARD_FUZZ"] != nil
let notSwift = ["README.md", "inputs", "inputs.py", "layer.c", "layer.py", "test_files.py", "run"]
let fuzzed: [Target.Dependency] = [
  "PrivateBus", "DBus", "JacquardABI", "Jacquard", "Motion", "Sharing", "TagSimulator", "TagStore",
  "TouchTracking", "CDBus", "CJacquard",
]

func suite(
  _ name: String, _ dependencies: [Target.Dependency], exclude: [String] = [], settings: [SwiftSetting] = confined
) -> Target {
  .testTarget(
    name: name, dependencies: dependencies, path: "Tests/Unit/\(name)", exclude: exclude, swiftSettings: settings)
}

let package = Package(
  name: "jacquard",
  products: [
    .library(name: "jacquard", type: .dynamic, targets: ["JacquardABI"]),
    // For the package Tests/Search/oracle.
    .library(name: "Codec", targets: ["JacquardWire", "TagStore", "WireFormat"]),
  ],
  targets: [
    .systemLibrary(
      name: "CDBus", pkgConfig: "dbus-1", providers: [.apt(["libdbus-1-dev"])]),
    .systemLibrary(name: "CLinux"),
    .systemLibrary(name: "CJacquard", path: "include"),

    .target(name: "EventLoop", dependencies: ["CLinux"], swiftSettings: small),
    .target(name: "DBus", dependencies: ["EventLoop", "CDBus"], swiftSettings: small),
    .target(name: "BlueZ", dependencies: ["DBus"], swiftSettings: small),
    .target(
      name: "Sharing", dependencies: ["EventLoop", "CLinux"], exclude: ["README.md", "service.proto"],
      swiftSettings: small),
    .target(name: "WireFormat", exclude: ["generator"], swiftSettings: computing),
    .target(name: "JacquardWire", dependencies: ["WireFormat"], exclude: ["jacquard.proto"], swiftSettings: computing),
    .target(name: "Motion", dependencies: ["JacquardWire"], swiftSettings: computing),
    .target(name: "TouchTracking", swiftSettings: computing + withoutReflection),
    .target(name: "TagStore", dependencies: ["EventLoop"], exclude: ["state.proto"], swiftSettings: small),
    .target(
      name: "Jacquard", dependencies: ["BlueZ", "JacquardWire", "Motion", "Sharing", "TagStore"],
      exclude: ["Sharing/README.md", "status-texts.json"], swiftSettings: small),
    .target(
      name: "JacquardABI", dependencies: ["Jacquard", "Motion", "Sharing", "TouchTracking", "CJacquard", "CLinux"],
      exclude: ["exports", "hot-path", "link"],
      swiftSettings: small + implementsHeader,
      linkerSettings: isFuzzed
        ? []
        : linked + [
          .unsafeFlags([
            "-Xlinker", "--version-script=\(Context.packageDirectory)/Sources/JacquardABI/exports",
            "-Xlinker", "-soname=libjacquard.so.1",
            // If it were unloaded, its threads would continue without their code.
            "-Xlinker", "-z", "-Xlinker", "nodelete",
            // With RELRO, the linker's default, function pointers are read-only then.
            "-Xlinker", "-z", "-Xlinker", "now",
          ]),
          // libstdc++.so in this folder is a linker script that names libstdc++.a: the few functions that the Swift
          // runtime needs are linked in statically, because the shared library would occupy 1 MB in each program.
          .unsafeFlags(["-L\(Context.packageDirectory)/Sources/JacquardABI/link"], .when(configuration: .release)),
          .unsafeFlags(hotPathTogether, .when(configuration: .release)),
        ]),
    .target(name: "PrivateBus", dependencies: ["EventLoop", "CLinux"], swiftSettings: confined),
    .target(
      name: "TagSimulator",
      dependencies: ["DBus", "PrivateBus", "JacquardWire", "WireFormat"],
      swiftSettings: confined),

    .target(
      name: "TestWorld", dependencies: ["DBus", "PrivateBus"], path: "Tests/Unit/TestWorld", swiftSettings: confined),
    .target(
      name: "LocalBus", dependencies: ["EventLoop", "CDBus"], path: "Tests/Unit/LocalBus", swiftSettings: confined),
    .target(
      name: "Lives",
      dependencies: [
        "JacquardABI", "Jacquard", "CJacquard", "TagSimulator", "LocalBus", "DBus", "EventLoop", "CDBus", "CLinux",
      ], path: "Tests/Search/lives/simulation", swiftSettings: confined),
    .executableTarget(
      name: "lives", dependencies: ["Lives"], path: "Tests/Search/lives/program", swiftSettings: confined),
    .testTarget(
      name: "LivesTests", dependencies: ["Lives", "TestWorld"], path: "Tests/Search/lives/tests",
      swiftSettings: confined),
    suite("LocalBusTests", ["LocalBus", "DBus", "EventLoop", "PrivateBus"]),
    suite("EventLoopTests", ["EventLoop", "CLinux", "TestWorld"]),
    suite("DBusTests", ["DBus", "PrivateBus", "TestWorld"]),
    suite("BlueZTests", ["BlueZ", "TestWorld"]),
    suite("JacquardWireTests", ["JacquardWire", "TestWorld"]),
    suite("MotionTests", ["Motion", "JacquardWire", "TestWorld"]),
    // Generates hours of samples.
    suite("TouchTrackingTests", ["TouchTracking", "TestWorld"], settings: computing),
    suite("WireFormatTests", ["WireFormat"], exclude: ["shapes.proto"]),
    suite("SharingTests", ["Sharing", "EventLoop", "CLinux", "TestWorld"]),
    suite("TagStoreTests", ["TagStore", "TestWorld"]),
    suite(
      "JacquardTests",
      ["Jacquard", "Motion", "Sharing", "CJacquard", "TagSimulator", "TestWorld", "TouchTracking"]),
    isFuzzed
      ? .executableTarget(
        name: "fuzz", dependencies: fuzzed, path: "Tests/Search/fuzz",
        exclude: ["ReplayTests.swift"] + notSwift,
        swiftSettings: confined + [.unsafeFlags(["-parse-as-library"])])
      : .testTarget(
        name: "FuzzTests", dependencies: fuzzed, path: "Tests/Search/fuzz",
        exclude: ["Entry.swift"] + notSwift,
        swiftSettings: confined),
  ]
)

// Only the software tag needs another package. This variable, which `make` and `Tests/Support/check` set, names its
// folder, as in the Debian source, or is `download`.
if let argumentParser = Context.environment["JACQUARD_SIMULATOR"] {
  package.dependencies.append(
    argumentParser == "download"
      ? .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
      : .package(path: argumentParser))
  package.products.append(.executable(name: "jacquard-sim", targets: ["jacquard-sim"]))
  package.targets += [
    .executableTarget(
      name: "jacquard-sim",
      dependencies: [
        "TagSimulator", "TagStore", "PrivateBus", "DBus", "EventLoop", "CJacquard",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: confined,
      linkerSettings: linked),
    suite(
      "TagSimulatorTests",
      [
        "TagSimulator", "WireFormat", "jacquard-sim", "DBus", "EventLoop", "PrivateBus", "TestWorld", "TouchTracking",
      ]),
  ]
}
