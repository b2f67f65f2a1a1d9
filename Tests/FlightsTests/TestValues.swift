import Fetching
import Platform
import Primitives

@testable import Flights

// What the tables of tests deliver, in place of the types of the service.

/// Options that are equal if their names are.
final class TestRendition: RenditionRequest {
    let name: String
    let heapBytes: Int

    init(_ name: String = "", heapBytes: Int = 0) {
        self.name = name
        self.heapBytes = heapBytes
    }

    func isEqual(to other: any RenditionRequest) -> Bool { name == (other as? TestRendition)?.name }
}

extension RequestNumber: ExpressibleByIntegerLiteral {
    public init(integerLiteral value: UInt64) {
        self.init(value)
    }
}

/// The memory of requests.
final class TestAccount: FlightAccount {
    let maxBytes: Int
    private let used = Monitor(0)

    init(maxBytes: Int) {
        self.maxBytes = maxBytes
    }

    var usedBytes: Int { used.withLock { $0 } }

    func emptyMemory() -> any FlightMemory { TestMemory(self) }

    func content(_ buffer: consuming OutputBuffer) -> any FlightContent {
        TestContent(buffer.withBytes { bytes in bytes.indices.map { bytes[$0] } })
    }

    fileprivate func charge(_ bytes: Int) -> Bool {
        used.withLock { used in
            guard used + bytes <= maxBytes else { return false }
            used += bytes
            return true
        }
    }
}

final class TestMemory: FlightMemory {
    private let account: TestAccount
    private let bytes = Monitor(0)

    fileprivate init(_ account: TestAccount) {
        self.account = account
    }

    deinit {
        _ = account.charge(-bytes.withLock { $0 })
    }

    func grow(by count: Int) -> Bool {
        guard account.charge(count) else { return false }
        bytes.withLock { $0 += count }
        return true
    }
}

final class TestContent: FlightContent {
    let bytes: [UInt8]
    private let charge = Monitor<CacheCharge?>(nil)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    var count: Int { bytes.count }
    var heapBytes: Int { (count + 24) & ~15 }

    func retain(_ charge: CacheCharge) {
        self.charge.withLock { $0 = charge }
    }
}

/// A response to requests.
final class TestResponse: FlightResponse {
    let status: Int
    let bytes: [UInt8]
    let verdict: RenditionVerdict
    var entityTag: String? { "W/\"\(status)-\(bytes)\"" }
    /// Whether it describes the stored response.
    private let isDescription: Bool
    let dependsOnURL: Bool
    private let charge = Monitor<CacheCharge?>(nil)

    init(
        status: Int = 200,
        _ bytes: [UInt8],
        verdict: RenditionVerdict = .usable,
        isDescription: Bool = false,
        dependsOnURL: Bool = false
    ) {
        self.status = status
        self.bytes = bytes
        self.verdict = verdict
        self.isDescription = isDescription
        self.dependsOnURL = dependsOnURL
    }

    var unchargedBytes: Int { bytes.count }
    var heapBytes: Int { (bytes.count + 24) & ~15 }

    func retain(_ charge: CacheCharge) {
        self.charge.withLock { $0 = charge }
    }

    func describing(
        _ stored: StoredResponse,
        _ path: ResponsePath,
        for request: any RenditionRequest
    ) -> any FlightResponse {
        isDescription ? TestResponse(status: status, bytes, isDescription: true) : self
    }
}
