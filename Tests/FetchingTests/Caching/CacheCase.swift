import Fetching
import Foundation
import Synchronization
import TestSupport
import Testing

/// One case of `cases/afnetworking-downloads.json` about the cache of AFNetworking or AlamofireImage.
///
/// @unchecked Sendable: JSONSerialization created the objects, and they are never changed.
struct CacheCase: @unchecked Sendable, CustomTestStringConvertible {
    enum Treatment: Equatable {
        case run
        /// The case has no meaning for this cache, for this reason.
        case skip(String)
        /// The cache is deliberately better. The reason is followed by the members of the expected value that differ.
        case better(String, expected: [String: [String]])
    }

    static let path = "cases/afnetworking-downloads.json"

    var id: String
    var options: [String: Any]
    var expected: [String: Any]

    var testDescription: String { id }

    static func load() throws -> [CacheCase] {
        let file = Suites.url(path)
        guard FileManager.default.fileExists(atPath: file.path) else { return [] }
        let data = try Data(contentsOf: file)
        let objects = try JSONSerialization.jsonObject(with: data) as? [[String: Any]] ?? []
        return try objects.filter { ($0["serializer"] as? String)?.hasSuffix("cache") == true }.map {
            try CacheCase($0)
        }
    }

    /// - Throws: if a required member is missing.
    init(_ object: [String: Any]) throws {
        id = try #require(object["id"] as? String)
        options = try #require(object["options"] as? [String: Any])
        expected = try #require((object["expect"] as? [String: Any])?["value"] as? [String: Any])
    }

    var treatment: Treatment {
        switch id {
        case "cache-edge-oversized-image":
            .better(
                "an entry that is larger than the capacity is not kept; the original evicts everything for it",
                expected: ["usage": ["1020000"], "kept": ["small"]]
            )
        case "cache-edge-key-collision":
            .better("the parts of keys are separate", expected: ["get": ["nil"]])
        case "cache-3.0-accounting-bug":
            .better("a defect of version 3.0", expected: ["usage": ["1020000"]])
        case "cache-edge-preferred-greater-than-capacity", "afi-cache-edge-precondition":
            .skip("the settings reject a size after an eviction that is greater than the capacity")
        default: .run
        }
    }

    /// Members of expected values that have no counterpart.
    static let ignoredMembers = [
        "key": "keys have parts instead of a text",
        "upstream": "what the original does in a case that has a better result",
        "desired": "the treatment states the better result", "no_crash": "the run ends",
        "no_data_race": "CacheStressTests use many threads",
    ]
}

/// The execution of a case, with the costs that the original computes.
struct CacheCaseRun {
    typealias Cache = LRUCache<SampleKey, String?, Never>

    private static let costs = [
        "afnetworking/logo.png": 850 * 300 * 4, "alamofireimage/unicorn.png": 200 * 205 * 4,
        "alamofireimage/pirate.jpg": 130 * 104 * 4, "synthetic/animated-2frames-1x1.gif": 4,
    ]

    private let one: CacheCase
    private let cache: Cache
    private var results: [String: [String]] = [:]
    private var usageAfterEach: [String] = []

    init(_ one: CacheCase) throws {
        self.one = one
        let sizes = try #require(one.options["cache"] as? [String: Int])
        let capacityBytes = try #require(sizes["capacity"])
        cache = Cache(
            limits: CacheLimits(
                capacityBytes: capacityBytes,
                bytesAfterPurge: try #require(sizes["preferred"]),
                maxEntryBytes: .max
            )
        )
    }

    mutating func run() throws {
        for step in try #require(one.options["steps"] as? [[String: Any]]) { try run(step) }
        results["usage"] = results["usage"] ?? ["\(cache.usedBytes)"]
    }

    private mutating func run(_ step: [String: Any]) throws {
        if let range = step["for"] as? [Int], let add = step["add"] as? [String: Any] {
            for index in range[0]...range[1] {
                try insert(add.mapValues { ($0 as? String)?.replacing("{i}", with: "\(index)") ?? $0 })
                usageAfterEach.append("\(cache.usedBytes)")
            }
            return
        }
        let (name, value) = try #require(step.first)
        #expect(step.count == 1)
        let arguments = value as? [String: Any] ?? [:]
        switch name {
        case "add": try insert(arguments)
        case "should_cache": record("should_cache", try insert(arguments) == .stored ? "true" : "false")
        case "get": record("get", (cache.hit(key(arguments))?.value ?? nil) ?? "nil")
        case "remove": record("remove", cache.remove(key(arguments)) ? "true" : "false")
        case "remove_all": record("remove_all", cache.removeAll() > 0 ? "true" : "false")
        case "usage": record("usage", "\(cache.usedBytes)")
        case "usage_after_each": results["usage"] = usageAfterEach
        case "set_capacity": cache.limits.capacityBytes = try #require(value as? Int)
        case "memory_pressure":
            #expect(MemoryPressure.action(usedBytes: 96, limitBytes: 100, lastAction: nil, now: 0) == .empty)
            cache.removeAll()
        case "parallel": runInParallel(arguments)
        default: Issue.record("unknown step \(name)")
        }
    }

    private mutating func record(_ name: String, _ result: String) {
        results[name, default: []].append(result)
    }

    private func key(_ arguments: [String: Any]) -> SampleKey {
        SampleKey(
            arguments["id"] as? String ?? arguments["url"] as? String ?? "",
            fields: arguments["extra"] as? String ?? ""
        )
    }

    @discardableResult
    private func insert(_ arguments: [String: Any]) throws -> Cache.Insertion {
        var cost = arguments["bytes"] as? Int
        if let width = arguments["point_width"] as? Double, let height = arguments["point_height"] as? Double {
            let scale = try #require(arguments["scale"] as? Double)
            cost = 4 * Int(width * height * scale * scale)
        }
        let fixture = arguments["image_fixture"] as? String
        let isEmpty = arguments["image"] is NSNull
        let name = fixture.map { URL(fileURLWithPath: $0).deletingPathExtension().lastPathComponent }
        let usual = fixture ?? one.options["image_fixture"] as? String ?? ""
        let charge = CacheCharge(isEmpty ? 0 : try #require(cost ?? Self.costs[usual]), to: cache.account)
        let image = arguments["image"] as? String ?? name ?? "same object"
        return cache.insert(isEmpty ? nil : image, for: key(arguments), charge: charge)
    }

    /// Many threads add, read and remove the same entries.
    private mutating func runInParallel(_ arguments: [String: Any]) {
        let cache = cache
        let outer = arguments["outer"] as? Int ?? 1
        let isChanging = arguments["outer"] != nil
        let count = arguments["n"] as? Int ?? arguments["add"] as? Int ?? 0
        DispatchQueue.concurrentPerform(iterations: outer * count) { iteration in
            let key = SampleKey(isChanging ? "\(iteration % count)" : "a")
            if isChanging { cache.insert("x", for: key, charge: CacheCharge(164_000, to: cache.account)) }
            _ = cache.hit(key)
            if isChanging { cache.remove(key) }
        }
        record("get 99", (cache.hit(SampleKey("99"))?.value ?? nil) ?? "nil")
    }

    /// Compares the results with the expected value.
    func check() throws {
        var expected = one.expected.filter { CacheCase.ignoredMembers[$0.key] == nil }.mapValues(Self.texts)
        if case .better(_, let better) = one.treatment { expected.merge(better) { $1 } }
        for (name, value) in expected {
            switch name {
            case "purged": #expect(value.filter(isKept) == [], "purged")
            case "kept": #expect(value.filter { !isKept($0) } == [], "kept")
            case "purged_range", "kept_range":
                let (first, last) = (try #require(Int(value[0])), try #require(Int(value[1])))
                let kept = (first...last).filter { isKept("unicorn-\($0)") }
                #expect(kept == (name == "kept_range" ? Array(first...last) : []), "\(name)")
            case "get", "usage", "remove", "remove_all", "should_cache", "get 99":
                #expect(results[name] == value, "\(name)")
            default: Issue.record("unknown member \(name)")
            }
        }
    }

    private func isKept(_ id: String) -> Bool { cache.peek(SampleKey(id)) != nil }

    /// Returns the texts of an expected value, which may be one value instead of a list.
    private static func texts(_ value: Any) -> [String] {
        (value as? [Any] ?? [value]).map(text)
    }

    private static func text(_ value: Any) -> String {
        if value is NSNull { return "nil" }
        guard let number = value as? NSNumber, String(cString: number.objCType) == "c" else { return "\(value)" }
        return number.boolValue ? "true" : "false"
    }
}
