internal import Fetching
internal import HTTP
internal import Serialization

/// The parameter `shard`, by which a load balancer chooses the replica of a request (docs/replicas.md).
///
///     GET  /v1/fetch?url=https%3A%2F%2Fa.example%2Fx&wait=0    202, Location: /v1/fetches/5f2c…?shard=https%3A%2F%2Fa…
///     POST /v1/fetch?shard=7                                   202, Location: /v1/fetches/5f2c…?shard=7
///
/// The load balancer hashes `shard`, or else `url`. The service ignores its value, and repeats it in `Location`, as it
/// was written, so that the request for the result reaches the same replica whether the text is decoded before it is
/// hashed or not.
enum Shard {
    static var name: String { "shard" }

    /// The maximum length, in bytes after percent-decoding, inclusive. The head of a response has 4 KiB.
    static let maxBytes = 512

    /// The maximum length in `Location`, in bytes, inclusive: that of ``maxBytes``, each of which is percent-encoded.
    /// A longer `url` is not repeated.
    static let maxEncodedBytes = 3 * maxBytes

    /// Removes the parameter from the parameters of a query, in which it may occur once.
    static func remove(from pairs: inout [QueryString.Pair]) throws(FetchCallError) {
        guard let index = pairs.firstIndex(where: { $0.name == name }) else { return }
        try check(pairs.remove(at: index).value)
        guard !pairs.contains(where: { $0.name == name }) else { throw .repeatedParameter(name) }
    }

    static func check(_ value: String) throws(FetchCallError) {
        guard 1...maxBytes ~= value.utf8.count else {
            let found = value.isEmpty ? "" : "\(value.utf8.count) bytes"
            throw .parameter(name, got: found, expected: "1 to \(maxBytes) bytes", isMember: false)
        }
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

    /// Returns the URL of the result of a receipt.
    func reference(to receipt: String, partition: String) -> String {
        let partition = namesPartition ? "partition=\(partition)" : nil
        let shard = shard.map { "\(Shard.name)=\($0)" }
        let parameters = [partition, shard].compactMap { $0 }.joined(separator: "&")
        return PublicURL.reference("/v1/fetches/\(receipt)" + (parameters.isEmpty ? "" : "?\(parameters)"))
    }

    /// What the load balancer hashes, percent-encoded as in the query; `nil` if there is nothing.
    private var shard: String? {
        value(of: Shard.name) ?? (hasURL ? value(of: "url") : nil)
    }

    private func value(of name: String) -> String? {
        let pair = query.utf8.split(separator: UInt8(ascii: "&")).first { $0.starts(with: "\(name)=".utf8) }
        guard let value = pair?.dropFirst(name.utf8.count + 1), 1...Shard.maxEncodedBytes ~= value.count else {
            return nil
        }
        var text: [UInt8] = []
        for byte in value {
            guard !byte.isURLByte, byte != UInt8(ascii: "%") else {
                text.append(byte)
                continue
            }
            // Clients may send bytes that a URI cannot have.
            text += "%\(byte < 16 ? "0" : "")\(String(byte, radix: 16, uppercase: true))".utf8
        }
        return text.count <= Shard.maxEncodedBytes ? String(decoding: text, as: UTF8.self) : nil
    }
}

/// What a request that waits for its result can receive before it.
struct Waiting: Sendable {
    /// The time after which the response is 202, unless the request specifies one.
    let preference: WaitPreference?
    /// Where the result is available then.
    var location: ResultLocation

    init(_ fields: borrowing RequestFields, _ location: ResultLocation) {
        preference = WaitPreference(fields)
        self.location = location
    }
}
