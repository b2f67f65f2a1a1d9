import Fetching

/// A key of four parts.
struct SampleKey: CacheEntryKey, CustomStringConvertible {
    struct Index: Hashable, Sendable {
        var partition = ""
        var url: String
    }

    struct Primary: Hashable, Sendable {
        var index: Index
        var fields: String
    }

    typealias Options = String

    var primary: Primary
    var variant: String

    init(_ url: String, partition: String = "", fields: String = "", variant: String = "") {
        primary = Primary(index: Index(partition: partition, url: url), fields: fields)
        self.variant = variant
    }

    var index: Index { primary.index }
    var partition: String { primary.index.partition }
    var description: String { "\(partition)/\(index.url)/\(primary.fields)/\(variant)" }
}

typealias SampleCache = LRUCache<SampleKey, String, String>

extension LRUCache where Key == SampleKey {
    /// Returns the entry of a key. This counts as an access.
    func hit(_ key: SampleKey) -> Hit? { hit(key, rendition: "")?.hit }
}

extension LRUCache where Key == SampleKey, Value == String, Rendition == String {
    /// A cache that keeps entries up to its capacity.
    convenience init(_ capacityBytes: Int, after bytesAfterPurge: Int, maxEntryBytes: Int = .max) {
        self.init(
            limits: CacheLimits(
                capacityBytes: capacityBytes,
                bytesAfterPurge: bytesAfterPurge,
                maxEntryBytes: maxEntryBytes
            )
        )
    }

    @discardableResult
    func add(_ url: String, _ bytes: Int, value: String? = nil, began: UInt64 = .max) -> Insertion {
        add(SampleKey(url), bytes, value: value, began: began)
    }

    @discardableResult
    func add(
        _ key: SampleKey,
        _ bytes: Int,
        value: String? = nil,
        varyNames: [String] = [],
        began: UInt64 = .max
    ) -> Insertion {
        insert(
            value ?? key.index.url,
            for: key,
            charge: CacheCharge(bytes, to: account),
            varyNames: varyNames,
            began: began
        )
    }

    @discardableResult
    func add(rendition options: String, _ bytes: Int, below url: String) -> Bool {
        insert("\(url) as \(options)", options: options, below: SampleKey(url), charge: CacheCharge(bytes, to: account))
        {
            _ in true
        }
    }

    /// Returns which of the URLs have an entry. This is not an access.
    func kept(_ urls: [String]) -> [String] {
        urls.filter { peek(SampleKey($0)) != nil }
    }

    /// Returns which of the options have a rendition below a URL. This is an access.
    func renditions(_ options: [String], below url: String) -> [String] {
        options.filter { hit(SampleKey(url), rendition: $0)?.rendition == "\(url) as \($0)" }
    }
}
