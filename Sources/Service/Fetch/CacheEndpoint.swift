internal import Fetching
internal import Flights
internal import HTTP
internal import Platform
internal import Serialization

/// `GET /v1/cache` and `DELETE /v1/cache`: the sizes of the cache, and purging it.
///
/// Both examine entries on the compute lane, because there can be many.
struct CacheEndpoint: Sendable {
    /// `nil` if fetching is disabled.
    let service: FetchService?

    func plan(for head: borrowing RequestHead, _ access: AccessGrant) -> Plan.Decision {
        let requestID = head.requestID
        do throws(FetchCallError) {
            guard let service else { throw .notConfigured }
            guard head.method == "DELETE" else {
                try CacheQuery.requireEmpty(head.target.query ?? "")
                return compute { Self.sizes(of: service.cache) }
            }
            guard service.settings.cache.allowsPurge else { throw .purgeNotAllowed }
            let query = try CacheQuery(head.target.query ?? "")
            let partition: PartitionName
            do throws(AccessError) {
                partition = try access.partition(requested: query.partition)
            } catch { throw .access(error) }
            return compute {
                let purged = service.cache.purge(query, in: partition.text)
                service.forgetRepeated()
                return Self.respond(purged, requestID)
            }
        } catch { return .respond(Problem(error).response(requestID: requestID.text)) }
    }

    private func compute(_ body: @escaping @Sendable () -> Response) -> Plan.Decision {
        .accept(maxContentBytes: 0) { _, _ in .next(on: .compute { .done(body()) }) }
    }

    private static func respond(_ purged: Int, _ requestID: RequestID) -> Response {
        guard purged > 0 else {
            var problem = Problem(.cacheNotFound, "no stored response matches")
            problem.fields = [.noStore]
            return problem.response(requestID: requestID.text)
        }
        var writer = JSONWriter(capacity: 64)
        writer.beginObject()
        writer.member("purged", purged)
        writer.endObject()
        return Response(status: 200, contentType: "application/json", fields: [.noStore], content: writer.finish())
    }

    /// The number of entries in `largest`.
    private static let maxListed = 20

    private static func sizes(of cache: ResponseCache) -> Response {
        let now = MonotonicTime.now.nanoseconds
        let statistics = cache.store.statistics(largest: maxListed) { $0.head.freshness.receivedNanoseconds }
        func seconds(_ time: UInt64) -> Int { Int(clamping: (now - min(now, time)) / 1_000_000_000) }
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.member("capacityBytes", cache.store.limits.capacityBytes)
        writer.member("usedBytes", statistics.usedBytes)
        writer.member("storedBytes", statistics.storedBytes)
        writer.member("responses", statistics.entries)
        writer.member("renditions", statistics.renditions)
        if let oldest = statistics.oldest { writer.member("oldestSeconds", seconds(oldest)) }
        writer.name("largest")
        writer.beginArray()
        for item in statistics.largest {
            writer.beginObject()
            writer.member("bytes", item.bytes)
            writer.member("renditions", item.renditions)
            writer.member("ageSeconds", seconds(item.time))
            writer.endObject()
        }
        writer.endArray()
        writer.endObject()
        return Response(status: 200, contentType: "application/json", fields: [.noStore], content: writer.finish())
    }
}

/// The query of `DELETE /v1/cache`.
struct CacheQuery: Equatable, Sendable {
    private enum Name: String, CaseIterable {
        case url, partition, soft, shard
        case cacheKey = "cache-key"
    }

    /// The URL whose responses are purged; `nil` for the whole partition.
    var url: FetchURL?
    /// The key at the origin of the URL.
    var cacheKey: String?
    var partition: PartitionName?
    /// Whether the responses can still be used while they are validated.
    var isSoft = false

    init(_ query: String) throws(FetchCallError) {
        var seen: Set<Name> = []
        for (name, value) in try FetchQuery.pairs(query) {
            guard let parameter = Name(rawValue: name) else {
                throw .unknownParameter(name, known: Name.allCases.map(\.rawValue))
            }
            guard seen.insert(parameter).inserted else { throw .repeatedParameter(name) }
            switch parameter {
            case .url:
                do throws(FetchURLError) {
                    url = try FetchURL(parsing: value)
                } catch { throw .url(error) }
            case .cacheKey: cacheKey = value
            case .partition: partition = try FetchQuery.partition(parsing: value)
            case .shard: try Shard.check(query)
            case .soft:
                guard let isSoft = Bool(value) else {
                    throw .parameter(name, got: value, expected: "true, false", isMember: false)
                }
                self.isSoft = isSoft
            }
        }
        guard cacheKey == nil || url != nil else { throw .missingParameter("url") }
    }

    /// Rejects every parameter.
    static func requireEmpty(_ query: String) throws(FetchCallError) {
        if let (name, _) = try FetchQuery.pairs(query).first { throw .unknownParameter(name, known: []) }
    }
}

extension ResponseCache {
    /// Removes or marks stored responses.
    /// - Returns: their number.
    fileprivate func purge(_ query: CacheQuery, in partition: String) -> Int {
        guard let url = query.url else { return store.purge(.partition(partition), isSoft: query.isSoft) }
        let index = CacheKey(partition: partition, url: url, cacheKey: query.cacheKey)
        return store.purge(.index(index), isSoft: query.isSoft)
    }
}
