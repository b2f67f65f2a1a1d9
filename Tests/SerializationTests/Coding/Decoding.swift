import FuzzOracles
import Testing

@testable import Serialization

/// The result of decoding content.
struct Decoding: Equatable {
    /// The decoded text; `nil` if the content is used as it is.
    var bytes: [UInt8]?
    var codings: DecodedCodings

    /// Decodes content.
    /// - Parameters:
    ///   - coding: the value of `Content-Encoding`.
    ///   - stops: the outputs after which the decoder stops, and is called again.
    init(
        _ content: [UInt8],
        _ coding: String,
        limits: Limits = Limits(),
        truncated: TruncatedPolicy = .reject,
        stops: [Int] = [],
        memory: any MemoryGrant = .unlimited
    ) throws {
        var options = SerializationOptions()
        options.truncated = truncated
        options.serializer = .one(.http)
        let serializer = ResponseSerializer(options: options, limits: limits)
        let response = UpstreamResponse(fields: HeaderFields([.init(name: "Content-Encoding", value: coding)]))
        let made = serializer.contentDecoder(for: response, content.span)
        let decoder = try #require(made)
        for stop in stops { _ = decoder.run(content.span, until: stop, memory: memory) }
        guard case .finished = decoder.run(content.span, memory: memory) else {
            Issue.record("a decoder without a bound finishes")
            throw Unfinished()
        }
        var decoded = decoder.finish()
        codings = decoded.codings
        if let taken = decoded.bytes.take() { bytes = Array(taken) }
    }

    private struct Unfinished: Error {}

    var error: CodingError.Reason? {
        if case .coding(let error)? = codings.error { error.reason } else { nil }
    }

    var warnings: [String] { codings.warnings.map(\.code) }

    /// The bytes, if there are no warnings.
    var flawless: [UInt8]? { codings.error == nil && codings.warnings.isEmpty ? bytes : nil }
}

/// Texts that compress like JSON.
func sampleText(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var random = RandomSource(seed: seed)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count + 64)
    while bytes.count < count {
        bytes += Array(#"{"id":\#(random.next() % 100_000),"name":"user \#(random.next() % 100)","ok":true},"#.utf8)
    }
    return Array(bytes[..<count])
}
