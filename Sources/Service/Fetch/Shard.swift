internal import Fetching
internal import HTTP
internal import Serialization

/// The parameter `shard`, by which a load balancer chooses the replica of a request (docs/replicas.md).
///
///     GET  /v1/fetch?url=https%3A%2F%2Fa.example%2Fx&wait=0    202, Location: /v1/fetches/5f2c…?shard=https%3A%2F%2Fa…
///     POST /v1/fetch?shard=7                                   202, Location: /v1/fetches/5f2c…?shard=7
///
/// The load balancer hashes `shard`, or else the `url` of a GET. The service ignores its value, and repeats it in
/// `Location`, as it was written, so that the request for the result reaches the same replica whether the text is
/// decoded before it is hashed or not.
enum Shard {
    static var name: String { "shard" }

    /// The maximum length as it is written in `Location`, in bytes, inclusive. The head of a response has 4 KiB. A
    /// longer `shard` is rejected, and a longer `url` is not repeated.
    static let maxBytes = 1_536

    /// Removes the parameter from the parameters of a query, in which it may occur once.
    static func remove(from pairs: inout [QueryString.Pair], of query: String) throws(FetchCallError) {
        guard let index = pairs.firstIndex(where: { $0.name == name }) else { return }
        pairs.remove(at: index)
        guard !pairs.contains(where: { $0.name == name }) else { throw .repeatedParameter(name) }
        try check(query)
    }

    /// Checks the parameter of a query that has it.
    static func check(_ query: String) throws(FetchCallError) {
        let bytes = written(name, in: query).utf8.count
        guard 1...maxBytes ~= bytes else {
            let found = bytes == 0 ? "" : "\(bytes) bytes"
            throw .parameter(name, got: found, expected: "1 to \(maxBytes) bytes, percent-encoded", isMember: false)
        }
    }

    /// Returns the value of a parameter, whose name can be encoded, as it is written in a query, and the bytes
    /// percent-encoded that a URI cannot have: clients may send them. It is empty if there is no such parameter.
    fileprivate static func written(_ name: String, in query: String) -> String {
        let pair = Array(query.utf8).split(separator: UInt8(ascii: "&")).first {
            PercentEncoding.decoded($0.prefix { $0 != UInt8(ascii: "=") }) == Array(name.utf8)
        }
        guard let value = pair?.drop(while: { $0 != UInt8(ascii: "=") }).dropFirst() else { return "" }
        var text: [UInt8] = []
        for byte in value {
            guard !byte.isURLByte, byte != UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
        }
        return String(decoding: text, as: UTF8.self)
    }
}

/// The URL of the result of a request, which is the `Location` of a response 202.
struct ResultLocation: Sendable {
    /// The query of the request.
    let query: String
    /// Whether the load balancer hashes the parameter `url` if there is no `shard`.
    let hasURL: Bool
    /// Whether the request named its partition, which must then be named again.
    var namesPartition = false

    /// Returns the URL of the result of a request with a receipt in a partition.
    func reference(to receipt: String, in partition: String) -> String {
        var parameters = namesPartition ? ["partition=\(partition)"] : []
        // What the load balancer hashes, and the request for the result can repeat.
        for name in hasURL ? [Shard.name, "url"] : [Shard.name] {
            let text = Shard.written(name, in: query)
            guard 1...Shard.maxBytes ~= text.utf8.count else { continue }
            parameters.append("\(Shard.name)=\(text)")
            break
        }
        let query = parameters.isEmpty ? "" : "?" + parameters.joined(separator: "&")
        return PublicURL.reference("/v1/fetches/\(receipt)\(query)")
    }
}
