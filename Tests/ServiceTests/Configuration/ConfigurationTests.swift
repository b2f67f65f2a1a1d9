import Fetching
import Flights
import Logging
import Platform
import Serialization
import Testing

@testable import Service

@Suite struct ConfigurationTests {
    private static let machine = MachineResources(cores: 3, memoryBytes: 1 << 30)

    private func configuration(
        _ flags: [String: String] = [:],
        environment: [String: String] = [:],
        on machine: MachineResources = machine
    ) throws(ConfigurationError) -> Configuration {
        try Configuration(flags: flags, environment: environment, resources: machine)
    }

    /// All settings of a configuration.
    private static func texts(_ configuration: Configuration) -> [String] {
        Settings.all.map { "\($0.name)=\($0.text(in: configuration))" }
    }

    @Test func `no two settings have the same name`() {
        #expect(Set(Settings.all.map(\.name)).count == Settings.all.count)
    }

    @Test func `the property of a setting has its name`() {
        let groups: [any SettingGroup] = [
            Settings.address, Settings.server, Settings.fetching, Settings.caching, Settings.isolation,
        ]
        for group in groups {
            for child in Mirror(reflecting: group).children {
                let setting = child.value as? any AnySetting
                #expect(child.label?.lowercased() == setting?.name.replacing("-", with: ""))
            }
        }
    }

    /// A setting that nothing reads would be accepted without an effect. It is read from a variable that is named after
    /// the configuration, or in an extension of it.
    @Test func `every setting is read`() throws {
        func properties(of owner: String, in folder: String) throws -> Set<String> {
            let parts = try Contract.code(of: folder).lowercased().split(separator: "\(owner).").dropFirst()
            return Set(parts.map { part in String(part.prefix { $0.isLetter || $0.isNumber }) })
        }
        let read = try properties(of: "configuration", in: "Service")
            .union(properties(of: "self", in: "Service/Configuration"))
        let limits = Set(Settings.limits.map(\.name))
        for setting in Settings.all where !limits.contains(setting.name) {
            #expect(read.contains(setting.name.replacing("-", with: "")), "\(setting.name)")
        }
    }

    @Test func `has defaults without any setting`() throws {
        let configuration = try configuration()
        #expect(Self.texts(configuration) == Self.texts(Configuration(resources: Self.machine)))
        #expect(configuration.address == "127.0.0.1")
        #expect(configuration.port == 8080)
        #expect(configuration.threads == 3)
        // 80 % of 1 GiB, minus 64 MiB, a tenth for connections, a worker for facts, and one for pixels.
        let workersBytes = (24 << 20) + (256 << 20)
        #expect(configuration.maxBufferedBytes == (1 << 30) / 5 * 4 - (64 << 20) - (1 << 30) / 10 - workersBytes)
        #expect(configuration.limits == Limits())
    }

    @Test func `reads every setting from its flag and from its variable`() throws {
        for setting in Settings.all {
            let value =
                switch setting.values {
                case .integer(let bounds): String(max(bounds.lowerBound, 33 << 20).clamped(to: bounds))
                case .boolean: "true"
                case .choice(let names): names.last ?? ""
                case .text:
                    [
                        "https://example.com/decant", "0.0.0.0", "127.0.0.1:8081", "a.example", "10.0.0.0/8", "64x64",
                        "http://proxy.example:3128",
                    ].first { text in
                        var configuration = Configuration(resources: Self.machine)
                        return (try? setting.set(text, in: &configuration)) != nil
                    } ?? ""
                }
            let machine = MachineResources(cores: 3, memoryBytes: 1 << 42)
            let roomy = ["max-buffered-bytes": String(1 << 33)]
            let byFlag = try configuration(roomy.merging([setting.name: value]) { $1 }, on: machine)
            #expect(setting.text(in: byFlag) == value, "\(setting.flag)")
            let others = roomy.filter { $0.key != setting.name }
            let byVariable = try configuration(others, environment: [setting.variable: value], on: machine)
            #expect(Self.texts(byVariable) == Self.texts(byFlag), "\(setting.variable)")
        }
    }

    @Test func `what was parsed is what is used`() throws {
        let configuration = try configuration([
            "fetch-allow": "*,a.example", "fetch-deny": "b.example", "fetch-allow-redirects": "c.example",
            "fetch-allow-addresses": "10.0.0.1", "fetch-deny-addresses": "8.8.8.0/24", "fetch-methods": "GET",
            "fetch-proxy": "http://proxy.example:3128", "fetch-no-proxy": "d.example", "cache-deny": "e.example",
            "cache-key-fields": "vary", "image-sizes": "64x64", "image-cors-origins": "https://f.example",
        ])
        let settings = configuration.flightSettings
        #expect(
            settings.policy
                == FetchPolicy(
                    allow: try HostRules(parsing: "*,a.example"),
                    deny: try HostRules(parsing: "b.example"),
                    allowRedirects: try HostRules(parsing: "c.example"),
                    methods: try FetchMethods(parsing: "GET"),
                    addresses: AddressRules(
                        allowed: try AddressBlock.list(parsing: "10.0.0.1"),
                        denied: try AddressBlock.list(parsing: "8.8.8.0/24"),
                        listeners: .none
                    )
                )
        )
        #expect(settings.cache.denied == (try HostRules(parsing: "e.example")))
        #expect(settings.cache.policy.keyFields == .vary)
        #expect(configuration.imageSettings.sizes == ImageSizes(parsing: "64x64"))
        #expect(configuration.imageSettings.corsOrigins == CORSOrigins(parsing: "https://f.example"))
        let fetcher = configuration.fetcherConfiguration.settings
        #expect(fetcher.proxy == (try FetchProxy(parsing: "http://proxy.example:3128")))
        #expect(fetcher.noProxy == (try ProxyExceptions(parsing: "d.example")))
    }

    @Test(arguments: [
        ("fetch-allow", "a b"), ("fetch-deny", "http://"), ("fetch-allow-redirects", "*,"),
        ("fetch-allow-addresses", "10.0.0.0/33"), ("fetch-deny-addresses", "localhost"), ("fetch-methods", "GET,"),
        ("fetch-proxy", "ftp://proxy.example"), ("fetch-no-proxy", ","), ("cache-deny", "a b"),
        ("cache-key-fields", "none"),
        ("image-sizes", "64"), ("image-cors-origins", "f.example"),
    ])
    func `a rule that cannot be parsed is an error`(name: String, value: String) throws {
        #expect(throws: ConfigurationError.self) { try configuration([name: value]) }
    }

    @Test func `prefers a flag to its variable`() throws {
        #expect(try configuration(["port": "1"], environment: ["DECANT_PORT": "2"]).port == 1)
    }

    @Test func `treats an empty variable as unset`() throws {
        #expect(try configuration(environment: ["DECANT_PORT": ""]).port == 8080)
    }

    @Test(arguments: [
        ("port", "65536", "0 to 65535"),
        ("port", "-1", "0 to 65535"),
        ("port", "+80", "0 to 65535"),
        ("port", "", "0 to 65535"),
        ("port", "99999999999999999999", "0 to 65535"),
        ("threads", "0", "1 to 256"),
        ("max-nesting-depth", "1025", "1 to 1024"),
        ("max-content-bytes", "32MiB", "1 to 536870912"),
        ("address", "localhost", "a numeric IPv4 or IPv6 address"),
        ("admin-address", "localhost:8081", "HOST:PORT with a numeric address, or unix:PATH"),
        ("log-level", "loud", "trace, debug, info, notice, warning, error, critical"),
        ("access-log", "yes", "off, json, text"),
    ])
    func `reports the flag, the value and the allowed values`(name: String, value: String, allowed: String) {
        let problem = ConfigurationError.Problem.notAllowed(source: "--\(name)", value: value, allowed: allowed)
        #expect(throws: ConfigurationError(problems: [problem])) { try configuration([name: value]) }
    }

    @Test(arguments: [
        ("fetch-allow", "a.example,,b.example", "the entry at offset 10 is empty"),
        ("fetch-deny", "a.example,ftp://b.example", "the scheme at offset 10 is neither http nor https"),
        ("cache-deny", "a.example:99999", "the port at offset 10 is not in 1 to 65535"),
        ("fetch-allow-redirects", "b.*", "the '*' at offset 2 is neither the host nor its first label"),
        ("fetch-allow", "127.1", "the address at offset 0 is not four decimal numbers with dots"),
        ("fetch-allow", "a.example/%2", "in the path, the '%' at offset 10 has no two hexadecimal digits"),
        ("fetch-deny-addresses", "1.0.0.0/8,1.0.0.1/8", "the address at offset 10 is not the first one of its block"),
        ("fetch-methods", "GET, TRACE", "the method TRACE at offset 5 is not one of a fetch"),
        ("fetch-no-proxy", "a.example,b c", "the entry at offset 10 is neither a name nor a block of addresses"),
        ("fetch-proxy", "http://proxy", "its port is missing, or is not in 1 to 65535"),
    ])
    func `reports the reason and its location`(name: String, value: String, reason: String) {
        let error = #expect(throws: ConfigurationError.self) { try configuration([name: value]) }
        #expect(error?.description.hasSuffix(": \(reason).") == true, "\(error?.description ?? "")")
    }

    @Test(arguments: ["fetch-proxy", "public-url", "fetch-allow"])
    func `repeats no value that may contain a password`(name: String) {
        let error = #expect(throws: ConfigurationError.self) { try configuration([name: "http://u:secret%4@h"]) }
        #expect(error?.description.hasPrefix("--\(name) is a text with an '@', which may contain a password; ") == true)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `reports the variable if the value came from it, and all errors together`() {
        let error = #expect(throws: ConfigurationError.self) {
            try configuration(["threads": "many"], environment: ["DECANT_PORT": "http", "DECANT_THREADS": "2"])
        }
        #expect(
            error?.description == """
                DECANT_PORT is 'http'; it must be 0 to 65535.
                --threads is 'many'; it must be 1 to 256.
                """
        )
    }

    @Test func `explains the variable that Kubernetes sets for a Service of the same name`() {
        let error = #expect(throws: ConfigurationError.self) {
            try configuration(environment: ["DECANT_PORT": "tcp://10.0.0.7:80"])
        }
        #expect(error?.description.contains("enableServiceLinks: false") == true)
    }

    @Test func `rejects a content limit that exceeds its memory`() {
        #expect(
            throws: ConfigurationError(problems: [
                .contentExceedsBuffer(maxContentBytes: 65 << 20, maxBufferedBytes: 64 << 20)
            ])
        ) {
            try configuration(["max-content-bytes": String(65 << 20), "max-buffered-bytes": String(64 << 20)])
        }
    }

    @Test func `plans with at most 80 % of the memory`() throws {
        // 100 MiB: a quarter is less than the minimum of 32 MiB. With 64 MiB for the process and 16 connections, the
        // sum exceeds 80 MiB.
        let small = MachineResources(cores: 1, memoryBytes: 100 << 20)
        #expect(
            throws: ConfigurationError(problems: [
                .memoryTooSmall(
                    neededBytes: (96 << 20) + 16 * 299_008,
                    availableBytes: 80 << 20,
                    memoryBytes: 100 << 20,
                    fetches: false
                )
            ])
        ) { try configuration(on: small) }
        let fitting = try configuration(on: MachineResources(cores: 1, memoryBytes: 128 << 20))
        #expect(fitting.maxBufferedBytes == 32 << 20 && fitting.maxConnections == 22)
        #expect(fitting.limits.maxContentBytes == (32 << 20) / 5 * 4)
    }

    @Test func `has one worker per core, up to the available memory`() throws {
        // 80 % of 4 GiB, minus a quarter, 64 MiB, 1 436 connections and 24 MiB for facts, is 1 755 MiB.
        let large = try configuration(on: MachineResources(cores: 8, memoryBytes: 4 << 30))
        #expect(large.workers == 6 && large.omittedWorkers == 2 && large.workerMemoryBytes == 292 << 20)
        // 80 % of 512 MiB, minus 128, 64, 179 connections and 24, is 142 MiB: one worker with less memory than usual.
        let small = try configuration(on: MachineResources(cores: 2, memoryBytes: 512 << 20))
        #expect(small.workers == 1 && small.omittedWorkers == 1 && small.workerMemoryBytes == 142 << 20)
        // Between these sizes, requests get the memory that a worker does not need, until it is a quarter again.
        let usual = try configuration(on: MachineResources(cores: 2, memoryBytes: 1 << 30))
        #expect(usual.maxBufferedBytes >> 20 == 372 && usual.workers == 1 && usual.workerMemoryBytes == 256 << 20)
        let double = try configuration(on: MachineResources(cores: 2, memoryBytes: 2 << 30))
        #expect(double.maxBufferedBytes == 512 << 20 && double.workers == 2)
        // There is no memory for a worker: everything except pixels is available.
        let tiny = try configuration(on: MachineResources(cores: 2, memoryBytes: 256 << 20))
        #expect(tiny.workers == 0 && tiny.omittedWorkers == 2)
        #expect(try configuration(["workers": "0"], on: MachineResources(cores: 2, memoryBytes: 4 << 30)).workers == 0)
    }

    @Test func `has workers for facts unless no workers are wanted, up to the available memory`() throws {
        let machine = MachineResources(cores: 2, memoryBytes: 4 << 30)
        #expect(try configuration(on: machine).factWorkers == 1)
        let three = try configuration(["fact-workers": "3"], on: machine)
        #expect(three.factWorkers == 3 && three.factWorkersBytes == 72 << 20 && three.workers == 2)
        #expect(try configuration(["fact-workers": "3", "workers": "0"], on: machine).factWorkers == 0)
        // 80 % of 256 MiB, minus 64, 64 and 89 connections, is 50 MiB: too little for pixels.
        let small = MachineResources(cores: 2, memoryBytes: 256 << 20)
        let facts = try configuration(["fact-workers": "3"], on: small)
        #expect(facts.factWorkers == 2 && facts.omittedFactWorkers == 1 && facts.workers == 0)
        let none = try configuration(on: MachineResources(cores: 1, memoryBytes: 128 << 20))
        #expect(none.factWorkers == 0 && none.omittedFactWorkers == 1)
    }

    @Test(arguments: [["workers": "1"], ["worker-memory-bytes": "1073741824"]])
    func `rejects a number of workers that exceeds the memory, and reports the sum`(flags: [String: String]) {
        let machine = MachineResources(cores: 2, memoryBytes: 256 << 20)
        let worker = Int(flags["worker-memory-bytes"] ?? "") ?? 128 << 20
        #expect(
            throws: ConfigurationError(problems: [
                .noMemoryForWorker(
                    neededBytes: (128 << 20) + 89 * 299_008 + (24 << 20) + worker,
                    availableBytes: machine.memoryBytes / 5 * 4,
                    memoryBytes: machine.memoryBytes,
                    fetches: false
                )
            ])
        ) { try configuration(flags, on: machine) }
    }

    @Test func `fetching adds the cache and the fetcher to the plan`() throws {
        let fetching = ["fetch-allow": "*"]
        let machine = MachineResources(cores: 1, memoryBytes: 1 << 30)
        let plain = try configuration(on: machine)
        let planned = try configuration(fetching, on: machine)
        // A tenth of the memory is more than what the smallest worker leaves.
        #expect(planned.bytesWithoutWorkers == plain.bytesWithoutWorkers + (32 << 20) + planned.cacheCapacityBytes)
        #expect(planned.workers == 1 && planned.workerMemoryBytes == 128 << 20)
        let large = String(500 << 20)
        let error = ConfigurationError(problems: [
            .memoryTooSmall(
                neededBytes: plain.bytesWithoutWorkers + (32 << 20) + (500 << 20),
                availableBytes: machine.memoryBytes / 5 * 4,
                memoryBytes: machine.memoryBytes,
                fetches: true
            )
        ])
        #expect(throws: error) {
            try configuration(fetching.merging(["cache-capacity-bytes": large]) { $1 }, on: machine)
        }
        #expect(
            error.description.contains("max-buffered-bytes, cache-capacity-bytes, 33554432 bytes for decant-fetcher, ")
        )
        #expect(error.description.contains("Lower --max-buffered-bytes, --cache-capacity-bytes or --max-connections"))
        // Without fetching, there is no cache.
        #expect(
            try configuration(["cache-capacity-bytes": large], on: machine).bytesWithoutWorkers
                == plain.bytesWithoutWorkers
        )
    }

    @Test func `detects misspelled variables`() {
        let environment = ["DECANT_PROT": "1", "DECANT_PORT": "2", "PATH": "/bin"]
        #expect(Configuration.unknownVariables(in: environment) == ["DECANT_PROT"])
    }
}

extension Int {
    fileprivate func clamped(to bounds: ClosedRange<Int>) -> Int {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}
