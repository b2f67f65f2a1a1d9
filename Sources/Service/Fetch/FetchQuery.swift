internal import Serialization

/// The query of `GET /v1/fetch`, and of receipts and slots.
enum FetchQuery {
    /// The parameters of signatures, which are verified before.
    private static let signature = ["expires", "signature"]

    /// The names of the parameters that are not options.
    static let names = FetchParameter.queryNames + signature + [Shard.name]

    /// Returns the call, and the options.
    static func call(in query: String) throws(FetchCallError) -> (FetchCall, [QueryString.Pair]) {
        var call = FetchCall()
        var options: [QueryString.Pair] = []
        // At most a dozen, so that a set would be slower.
        var seen: [String] = []
        var pairs = try pairs(query)
        try Shard.remove(from: &pairs, of: query)
        for (name, value) in pairs {
            let parameter = FetchParameter.inQuery(name)
            guard parameter != nil || signature.contains(name) else {
                options.append((name, value))
                continue
            }
            guard !seen.contains(name) else { throw .repeatedParameter(name) }
            seen.append(name)
            switch parameter?.row.value {
            case nil: break
            case .preference(.fields): call.preferences.fields.append(HeaderFields.Field(name: "Accept", value: value))
            case let type?:
                guard type.set(value, in: &call) else { throw invalid(name, value, type.allowed) }
            }
        }
        guard seen.contains("url") else { throw .missingParameter("url") }
        return (call, options)
    }

    /// Returns the partition that a request for a receipt or a slot names.
    static func partition(in query: String) throws(FetchCallError) -> PartitionName? {
        var partition: PartitionName?
        var pairs = try pairs(query)
        try Shard.remove(from: &pairs, of: query)
        for (name, value) in pairs {
            guard name == "partition" else { throw .unknownParameter(name, known: ["partition", Shard.name]) }
            guard partition == nil else { throw .repeatedParameter(name) }
            partition = try Self.partition(parsing: value)
        }
        return partition
    }

    static func partition(parsing value: String) throws(FetchCallError) -> PartitionName {
        guard let partition = PartitionName(parsing: value) else {
            throw invalid("partition", value, [FetchCall.nameSyntax])
        }
        return partition
    }

    /// Returns the parameters of a query.
    static func pairs(_ query: String) throws(FetchCallError) -> [QueryString.Pair] {
        do throws(OptionError) {
            return try QueryString.pairs(parsing: query)
        } catch { throw .option(error) }
    }

    private static func invalid(_ name: String, _ value: String, _ allowed: [String]) -> FetchCallError {
        .parameter(name, got: value, expected: allowed.joined(separator: ", "), isMember: false)
    }
}

extension [QueryString.Pair] {
    /// Whether the request depends on a profile, which can be replaced.
    var hasProfile: Bool { contains { $0.name == OptionName.profile.rawValue } }
}
