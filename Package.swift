// swift-tools-version: 6.2
import PackageDescription

/// Every Swift target is built the same way: strict, with each unsafe expression marked, and no warning tolerated.
let swiftSettings: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]
let strictSettings = swiftSettings + [.strictMemorySafety()]
let cSettings: [CSetting] = [
    .enableWarning("all"),
    .enableWarning("extra"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "decant",
    products: [
        .executable(name: "decant", targets: ["Service"]),
        .library(name: "Serialization", targets: ["Serialization"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
        // For tests only: reads the contract, whose examples are sent to the running service.
        .package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"),
    ],
    targets: [
        .executableTarget(
            name: "Service",
            dependencies: [
                "Platform",
                "Serialization",
                "Workers",
                "CMicroHTTPD",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            resources: [.embedInCode("Resources/openapi.yaml"), .embedInCode("Resources/openapi.json")],
            swiftSettings: strictSettings
        ),
        // What the kernel and the C library provide.
        .target(
            name: "Platform",
            dependencies: ["CEvents", "CMalloc", "CScheduler"],
            swiftSettings: strictSettings
        ),
        .systemLibrary(name: "CEvents"),
        .target(
            name: "Serialization",
            dependencies: ["CIconv", "CJPEG", "CLCMS", "CPNG", "CTIFF", "CVector", "CWebP", "CXML"],
            swiftSettings: strictSettings
        ),
        // The rules of fetching upstream resources, without sockets and clocks.
        .target(name: "Fetching", dependencies: ["Serialization"], swiftSettings: strictSettings),
        .target(name: "CIconv", cSettings: cSettings),
        .target(name: "CVector", cSettings: cSettings),
        .systemLibrary(name: "CMalloc"),
        .systemLibrary(name: "CScheduler"),
        .target(name: "CJPEG", cSettings: cSettings, linkerSettings: [.linkedLibrary("jpeg")]),
        .target(name: "CLCMS", cSettings: cSettings, linkerSettings: [.linkedLibrary("lcms2")]),
        .target(
            name: "CPNG",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("png16"), .linkedLibrary("z")]
        ),
        .target(name: "CTIFF", cSettings: cSettings, linkerSettings: [.linkedLibrary("tiff")]),
        .target(name: "CWebP", cSettings: cSettings, linkerSettings: [.linkedLibrary("webp")]),
        .target(name: "CXML", dependencies: ["CLibXML2"], cSettings: cSettings),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .target(
            name: "CMicroHTTPD",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("microhttpd")]
        ),
        .target(
            name: "Workers",
            dependencies: [
                "Platform", "Serialization", "CSandbox", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSettings
        ),
        .target(name: "CSandbox", cSettings: cSettings),
        // What fuzz targets and tests both hold the library against (docs/fuzzing.md).
        .target(
            name: "FuzzOracles",
            dependencies: ["Serialization"],
            path: "Tests/Fuzz/Oracles",
            swiftSettings: swiftSettings
        ),
        // What libxml2 makes of a document by itself: canonical forms, and verdicts.
        .target(
            name: "CXMLReference",
            dependencies: ["CLibXML2"],
            path: "Tests/CXMLReference",
            cSettings: cSettings
        ),
        .testTarget(
            name: "SerializationTests",
            dependencies: ["Serialization", "FuzzOracles", "CMalloc", "CXMLReference"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FetchingTests",
            dependencies: ["Fetching", "Serialization", "FuzzOracles"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Service", "Platform", "Serialization", "Workers", "FaultyWorker", "FuzzOracles",
                .product(name: "Logging", package: "swift-log"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swiftSettings
        ),
        // A worker with a decoder that fails on command: for tests of what then happens.
        .executableTarget(
            name: "FaultyWorker",
            dependencies: ["Workers", "Serialization", "CFaults"],
            path: "Tests/FaultyWorker",
            swiftSettings: swiftSettings
        ),
        .target(name: "CFaults", path: "Tests/CFaults", cSettings: cSettings),
        // Measures the working memory of one serialization, in a process of its own (docs/memory.md). No test depends on it,
        // because a test would be linked with its heap; every build of the tests builds it.
        .executableTarget(
            name: "MemoryProbe",
            dependencies: ["Serialization", "CHeapMeter"],
            path: "Tests/MemoryProbe",
            swiftSettings: swiftSettings
        ),
        .target(name: "CHeapMeter", path: "Tests/CHeapMeter", cSettings: cSettings),
        .testTarget(
            name: "WorkersTests",
            dependencies: [
                "Workers", "Serialization", "FaultyWorker", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "HouseTests",
            dependencies: ["Service", "Platform", "Serialization", "Fetching"],
            swiftSettings: swiftSettings
        ),
    ]
)
