internal import HTTP
internal import Platform
internal import Serialization

/// The values of all settings of the service. ``Settings`` declares their names, ranges, defaults and meanings, and
/// makes each of them a property: `configuration.maxConnections`.
@dynamicMemberLookup
struct Configuration: Sendable {
    let resources: MachineResources

    /// The values that were given, by the name of the setting. Every other setting has its default.
    private var values: [String: any Sendable] = [:]

    /// The limits of one serialization.
    var limits = Limits()

    /// The number of workers that were omitted because there is not enough memory.
    private(set) var omittedWorkers = 0

    /// The number of workers for facts that were omitted because there is not enough memory.
    private(set) var omittedFactWorkers = 0

    /// Creates a configuration without settings, whose workers may need more memory than there is.
    init(unfittedFor resources: MachineResources) { self.resources = resources }

    /// Creates the default configuration of a machine with `resources`.
    init(resources: MachineResources) {
        self.init(unfittedFor: resources)
        fitWorkers()
    }

    /// Returns the value that was given; `nil` if there is none.
    func given<Value>(_ name: String) -> Value? { values[name] as? Value }

    mutating func give<Value: Sendable>(_ value: Value, _ name: String) { values[name] = value }

    /// Omits workers for which there is not enough memory. Those for facts come first: they need little. There are none
    /// if no workers are wanted.
    mutating func fitWorkers() {
        let wantedForFacts = self.workers == 0 ? 0 : self.factWorkers
        self.factWorkers = min(wantedForFacts, max(0, availableBytes - bytesWithoutWorkers) / Self.factWorkerBytes)
        omittedFactWorkers = wantedForFacts - self.factWorkers
        // The default of the memory depends on the number of workers that is reduced here.
        let memoryBytes = self.workerMemoryBytes
        let wanted = self.workers
        self.workers = min(wanted, bytesForWorkers / memoryBytes)
        self.workerMemoryBytes = memoryBytes
        omittedWorkers = wanted - self.workers
    }
}

// MARK: Defaults that depend on the memory

extension Configuration {
    /// The default of `max-buffered-bytes`: a quarter of the memory. It is greater if content of the default maximum
    /// size may need more, as long as there is enough memory for a worker.
    var bufferedBytesThatFit: Int {
        let quarter = max(Self.minDefaultBufferedBytes, resources.memoryBytes / 4)
        let connectionsBytes = min(resources.memoryBytes / 10, Self.maxDefaultConnections * Self.connectionBytes)
        let workersBytes = factWorkersBytes + Self.usualWorkerMemoryBytes
        let available = availableBytes - Self.baseBytes - connectionsBytes - workersBytes
        return max(quarter, min(Self.largestContentBytes, available))
    }

    /// The default of `max-connections`: the number that fits into a tenth of the memory, and into the memory that
    /// requests do not use.
    var connectionsThatFit: Int {
        let bytes = min(resources.memoryBytes / 10, availableBytes - Self.baseBytes - self.maxBufferedBytes)
        return min(max(bytes / Self.connectionBytes, Self.minDefaultConnections), Self.maxDefaultConnections)
    }

    /// The default of `worker-memory-bytes`. More workers with less memory are preferred, as long as each has enough
    /// memory for usual photographs.
    var workerMemoryThatFits: Int {
        let count = min(max(self.workers, 1), max(1, bytesForWorkers / Self.usualWorkerMemoryBytes))
        let rounded = (bytesForWorkers / count) & ~((1 << 20) - 1)
        return max(Self.minWorkerMemoryBytes, min(Self.maxDefaultWorkerMemoryBytes, rounded))
    }

    /// The default of `cache-capacity-bytes`, which leaves enough memory for a worker.
    var cacheBytesThatFit: Int {
        let rest = availableBytes - bytesOfProcessAndRequests - factWorkersBytes - Self.minWorkerMemoryBytes
        return min(Self.maxDefaultCacheBytes, resources.memoryBytes / 10, max(rest, Self.minDefaultCacheBytes))
    }

    /// The default of `max-content-bytes` in a service. The rest is for the response to an image, which needs the least
    /// memory. Other content is limited by the factor of its format.
    var contentBytesThatFit: Int { min(limits.maxContentBytes, self.maxBufferedBytes / 5 * 4) }
}

// MARK: The division of the memory

extension Configuration {
    /// The part of the memory that the settings may use, in bytes: 80 %.
    var availableBytes: Int { resources.memoryBytes / 5 * 4 }

    /// The memory that is available to all workers that decode pixels together, in bytes.
    private var bytesForWorkers: Int { max(0, availableBytes - bytesWithoutWorkers - factWorkersBytes) }

    /// The planned memory of all workers for facts together, in bytes.
    var factWorkersBytes: Int { self.factWorkers * Self.factWorkerBytes }

    /// Memory that the process needs besides requests and connections, in bytes: code, threads, and the memory that
    /// requests use on HTTP threads. It is an estimate, which is not enforced.
    static let baseBytes = 64 << 20

    /// The memory that is planned for the process that fetches, in bytes. It is an estimate, which is not enforced.
    static let maxFetcherBytes = 32 << 20

    /// The memory of the process that fetches, in bytes: 0 if fetching is disabled.
    var fetcherBytes: Int { fetches ? Self.maxFetcherBytes : 0 }

    /// The memory of the cache, in bytes: 0 if fetching is disabled.
    var cacheBytes: Int { fetches ? self.cacheCapacityBytes : 0 }

    /// The planned memory of everything but the workers, in bytes.
    var bytesWithoutWorkers: Int { bytesOfProcessAndRequests + cacheBytes }

    private var bytesOfProcessAndRequests: Int {
        Self.baseBytes + self.maxBufferedBytes + fetcherBytes + self.maxConnections * Self.connectionBytes
    }

    /// The maximum default of `cache-capacity-bytes`: that of AFNetworking's cache.
    static let maxDefaultCacheBytes = 100 << 20

    /// The minimum default of `cache-capacity-bytes`, unless the machine has little memory.
    static let minDefaultCacheBytes = 4 << 20

    /// The maximum memory of one connection, in bytes: the objects of the library and of the service (4 KiB), a head of
    /// 16 KiB followed by 16 KiB, and the buffers of the socket, which the kernel makes twice as large as requested.
    static let connectionBytes = (4 << 10) + (32 << 10) + 4 * HTTPServerConfiguration.socketBufferBytes

    /// The minimum default of `max-connections`.
    static let minDefaultConnections = 16

    /// The maximum default of `max-connections`.
    static let maxDefaultConnections = 4_096

    /// The planned memory of one worker for facts, in bytes: 3 MiB of its own pages, 13 MiB for reading metadata, and 8
    /// MiB of the last content and its answer, which are kept. Longer content is charged to its request while the
    /// worker reads it.
    static let factWorkerBytes = 24 << 20

    /// The minimum of `worker-memory-bytes`. With less, there would not be enough memory for code, content and an
    /// answer.
    static let minWorkerMemoryBytes = 128 << 20

    /// The memory in which a worker can decode a progressive JPEG of 24 megapixels, which takes 90 MiB, with as much
    /// memory again for its content and its answer.
    static let usualWorkerMemoryBytes = 256 << 20

    /// The default of `worker-memory-bytes` if there is enough memory.
    static let maxDefaultWorkerMemoryBytes = 512 << 20

    /// The memory that suffices for any content of 32 MiB: ten bytes for each of its bytes, and its response.
    static let largestContentBytes = 512 << 20

    /// The minimum default of `max-buffered-bytes`.
    static let minDefaultBufferedBytes = 32 << 20
}

extension Configuration {
    /// The uses of memory that the log reports, in bytes.
    var memoryRows: [(name: String, bytes: Int)] {
        [
            ("processBytes", Self.baseBytes), ("requestsBytes", self.maxBufferedBytes),
            ("fetcherBytes", fetcherBytes), ("cacheBytes", cacheBytes),
            ("connectionsBytes", self.maxConnections * Self.connectionBytes),
            ("factWorkersBytes", factWorkersBytes), ("workersBytes", self.workers * self.workerMemoryBytes),
        ]
    }
}
