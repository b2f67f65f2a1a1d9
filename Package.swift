// swift-tools-version: 6.2
import PackageDescription

/// The settings of all Swift targets. Warnings are errors, and in `Sources` each unsafe expression must be marked.
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

/// Whether the package contains only the programs of a release. `scripts/build` sets the variable: one invocation of
/// `swift build` then builds exactly the programs, and packages that only tests need are not fetched.
let hasOnlyPrograms = Context.environment["DECANT_ONLY_PROGRAMS"] == "1"

let package = Package(
    name: "decant",
    products: [
        .executable(name: "decant", targets: ["Service"]),
        .executable(name: "decant-fetcher", targets: ["Fetcher"]),
        .library(name: "Serialization", targets: ["Serialization"]),
        // For tests and measurements.
        .executable(name: "origin", targets: ["ScriptedOrigin"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", exact: "1.16.2"),
    ],
    targets: [
        .executableTarget(
            name: "Service",
            dependencies: [
                "Fetching",
                "HTTP",
                "Platform",
                "Serialization",
                "Workers",
                "CDocuments",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSettings
        ),
        // Listening, parsing of requests, connections and exchanges. It knows an application, but not what it does.
        .target(
            name: "HTTP",
            dependencies: ["CDeflate", "CMicroHTTPD", "Platform", "Primitives"],
            swiftSettings: strictSettings
        ),
        // The facilities of the kernel and the C library.
        .target(
            name: "Platform",
            dependencies: ["CEvents", "CMalloc", "CSandbox", "CScheduler"],
            swiftSettings: strictSettings
        ),
        .systemLibrary(name: "CEvents"),
        .target(
            name: "Serialization",
            dependencies: [
                "CBrotli", "CDeflate", "CIconv", "CJPEG", "CLCMS", "CPixels", "CPNG", "CTIFF", "CVector", "CWebP",
                "CXML",
                "CZlib", "CZstd", "Primitives",
            ],
            swiftSettings: strictSettings
        ),
        // What serializing and fetching have in common: header fields, dates, and SHA-256.
        .target(name: "Primitives", swiftSettings: strictSettings),
        // The rules of fetching upstream resources, without sockets and clocks.
        .target(name: "Fetching", dependencies: ["Primitives"], swiftSettings: strictSettings),
        // The process that fetches, in which libcurl and c-ares are.
        .executableTarget(
            name: "Fetcher",
            dependencies: ["CCares", "CCurl", "Fetching", "Platform", "Primitives"],
            swiftSettings: strictSettings
        ),
        .target(name: "CCares", cSettings: cSettings, linkerSettings: [.linkedLibrary("cares")]),
        .target(name: "CCurl", cSettings: cSettings, linkerSettings: [.linkedLibrary("curl")]),
        // The contract and the examples of problems, which the program contains.
        .target(name: "CDocuments", exclude: ["problem-examples.txt"], cSettings: cSettings),
        .target(name: "CIconv", cSettings: cSettings),
        .target(name: "CPixels", cSettings: cSettings),
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
        .target(name: "CZlib", cSettings: cSettings, linkerSettings: [.linkedLibrary("z")]),
        .target(name: "CDeflate", cSettings: cSettings, linkerSettings: [.linkedLibrary("deflate")]),
        .target(name: "CBrotli", cSettings: cSettings, linkerSettings: [.linkedLibrary("brotlidec")]),
        .target(name: "CZstd", cSettings: cSettings, linkerSettings: [.linkedLibrary("zstd")]),
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
                "Platform", "Serialization", .product(name: "Logging", package: "swift-log"),
            ],
            swiftSettings: strictSettings
        ),
        .target(name: "CSandbox", cSettings: cSettings),
        // The oracles with which fuzz targets and tests compare the library (docs/fuzzing.md).
        .target(
            name: "FuzzOracles",
            dependencies: ["Serialization"],
            path: "Tests/Fuzz/Oracles",
            swiftSettings: swiftSettings
        ),
        // The results of libxml2 alone: canonical forms, and whether a document is well-formed.
        .target(
            name: "CXMLReference",
            dependencies: ["CLibXML2"],
            path: "Tests/CXMLReference",
            cSettings: cSettings
        ),
        // The encoders of content codings, which the service does not have.
        .target(
            name: "CEncoders",
            path: "Tests/CEncoders",
            cSettings: cSettings,
            linkerSettings: [.linkedLibrary("z"), .linkedLibrary("brotlienc"), .linkedLibrary("zstd")]
        ),
        .target(name: "Encoders", dependencies: ["CEncoders"], path: "Tests/Encoders", swiftSettings: swiftSettings),
        // The folder of public test data, and the programs that are built with the tests.
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: swiftSettings),
        // A scripted HTTP origin for tests and measurements (docs/testing.md).
        .target(name: "Origin", dependencies: ["CEvents"], path: "Tests/Origin", swiftSettings: swiftSettings),
        .executableTarget(
            name: "ScriptedOrigin",
            dependencies: ["Origin"],
            path: "Tests/ScriptedOrigin",
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "OriginTests", dependencies: ["Origin", "ScriptedOrigin"], swiftSettings: swiftSettings),
        .testTarget(
            name: "SerializationTests",
            dependencies: ["Serialization", "FuzzOracles", "Encoders", "CMalloc", "CXMLReference", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FetchingTests",
            dependencies: ["Fetching", "Serialization", "FuzzOracles", "TestSupport"],
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "FetcherTests",
            dependencies: [
                "Fetcher", "Fetching", "Origin", "Platform", "SandboxProbe", "Serialization", "TestSupport",
            ],
            swiftSettings: swiftSettings
        ),
        // Makes a system call in the sandbox of a fetcher.
        .executableTarget(
            name: "SandboxProbe",
            dependencies: ["Platform", "CFaults"],
            path: "Tests/SandboxProbe",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "PrimitivesTests",
            dependencies: ["Primitives"],
            swiftSettings: swiftSettings
        ),
        .testTarget(name: "PlatformTests", dependencies: ["Platform"], swiftSettings: swiftSettings),
        .testTarget(
            name: "ServiceTests",
            dependencies: [
                "Service", "Fetching", "HTTP", "Origin", "Platform", "Primitives", "Serialization", "Workers",
                "FaultyWorker", "FuzzOracles",
                "Encoders", "TestSupport",
                .product(name: "Logging", package: "swift-log"), .product(name: "Yams", package: "Yams"),
            ],
            swiftSettings: swiftSettings
        ),
        // A worker for tests, whose decoder fails on command.
        .executableTarget(
            name: "FaultyWorker",
            dependencies: ["Workers", "Serialization", "CFaults"],
            path: "Tests/FaultyWorker",
            swiftSettings: swiftSettings
        ),
        .target(name: "CFaults", path: "Tests/CFaults", cSettings: cSettings),
        // Measures the working memory of one serialization in a separate process (docs/memory.md). No test depends on
        // it, because a test would be linked with its heap. It is built with the tests.
        .executableTarget(
            name: "MemoryProbe",
            dependencies: ["Serialization", "CHeapMeter"],
            path: "Tests/MemoryProbe",
            swiftSettings: swiftSettings
        ),
        .target(name: "CHeapMeter", path: "Tests/CHeapMeter", cSettings: cSettings),
        // Measures the memory and the speed of a cache in a separate process, whose heap nothing else uses. It is built
        // with the tests.
        .executableTarget(
            name: "CacheProbe",
            dependencies: ["Fetching", "CMalloc"],
            path: "Tests/CacheProbe",
            swiftSettings: swiftSettings
        ),
        .testTarget(
            name: "WorkersTests",
            dependencies: [
                "Workers", "Platform", "Serialization", "FaultyWorker", .product(name: "Logging", package: "swift-log"),
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

if hasOnlyPrograms {
    package.products.removeAll { $0.name == "origin" }
    package.targets.removeAll { $0.type == .test || $0.path?.hasPrefix("Tests/") == true }
} else {
    // Parses the contract, whose examples are sent to the running service.
    package.dependencies.append(.package(url: "https://github.com/jpsim/Yams", exact: "6.2.2"))
}
