package import Serialization

/// The properties that decoding content in a coding must have for all bytes.
///
/// The first byte of an input chooses how it is decoded: bit 0 `truncated=allow`, bit 1 a low limit, bit 2 the coding
/// twice, bit 3 memory that runs out. The second byte chooses where the decoder stops. The rest is the content.
package enum CodingOracle {
    /// Returns the property that `input` violates; `nil` if there is none.
    package static func violation(for input: [UInt8], _ coding: ContentCoding) -> String? {
        guard input.count > 2 else { return nil }
        let content = Array(input[2...])
        var limits = Limits()
        if input[0] & 2 != 0 { limits.maxDecodedBytes = 3_000 }
        var options = SerializationOptions()
        options.serializer = .one(.http)
        options.truncated = input[0] & 1 != 0 ? .allow : .reject
        let serializer = ResponseSerializer(options: options, limits: limits)
        let name = input[0] & 4 != 0 ? "\(coding.rawValue),\(coding.rawValue)" : coding.rawValue
        let response = UpstreamResponse(fields: HeaderFields([.init(name: "Content-Encoding", value: name)]))

        guard let whole = decode(content, response, serializer, stops: []) else { return "there is a decoder" }
        let stop = Int(input[1])
        let pieces = decode(content, response, serializer, stops: [0, stop, stop * 16, stop * 256])
        if pieces != whole { return "at once \(whole), in pieces \(String(describing: pieces))" }
        if let violation = violation(of: whole, content, limits) { return violation }
        if input[0] & 8 != 0 {
            let grants = Grants(bytes: stop * 1_024)
            let granted = decode(content, response, serializer, stops: [stop], memory: grants)
            let isOutOfMemory = granted?.codings.error == .outOfMemory
            if !isOutOfMemory, granted != whole {
                return "with grants \(String(describing: granted)), without \(whole)"
            }
        }
        return violation(ofSerializing: content, response, serializer, whole)
    }

    /// The result of a decoder.
    private struct Decoding: Equatable {
        var bytes: [UInt8]?
        var codings: DecodedCodings
    }

    private static func decode(
        _ content: [UInt8],
        _ response: UpstreamResponse,
        _ serializer: ResponseSerializer,
        stops: [Int],
        memory: any MemoryGrant = .unlimited
    ) -> Decoding? {
        guard let decoder = serializer.contentDecoder(for: response, content.span) else { return nil }
        for stop in stops { _ = decoder.run(content.span, until: stop, memory: memory) }
        guard case .finished = decoder.run(content.span, memory: memory) else { return nil }
        var decoded = decoder.finish()
        let codings = decoded.codings
        guard let bytes = decoded.bytes.take() else { return Decoding(bytes: nil, codings: codings) }
        return Decoding(bytes: Array(bytes), codings: codings)
    }

    private static func violation(of decoding: Decoding, _ content: [UInt8], _ limits: Limits) -> String? {
        let codings = decoding.codings
        if codings.encodedBytes != content.count { return "another length: \(codings.encodedBytes)" }
        if let bytes = decoding.bytes, bytes.count > limits.maxDecodedBytes { return "\(bytes.count) bytes" }
        if codings.error == nil, codings.decodedBytes != decoding.bytes?.count { return "another decoded length" }
        if codings.error == nil, decoding.bytes == nil, codings.warnings.isEmpty {
            return "used as it is, and nobody says so"
        }
        guard case .coding(let error)? = codings.error else { return nil }
        // Positions in an inner coding are limited by the maximum output of the outer one.
        if let byte = error.byte, byte < 0 || byte > max(content.count, limits.maxDecodedBytes + 1) {
            return "the error is at \(byte)"
        }
        return nil
    }

    /// Checks that the serializer agrees with the decoder.
    private static func violation(
        ofSerializing content: [UInt8],
        _ response: UpstreamResponse,
        _ serializer: ResponseSerializer,
        _ decoding: Decoding
    ) -> String? {
        do throws(SerializationFailure) {
            let answer = try serializer.serialize(response, content: content.span, memory: .unlimited)
            let upstream = answer.upstream
            if decoding.codings.error != nil { return "accepted in spite of \(decoding)" }
            return upstream.representation.decodedBytes == decoding.codings.decodedBytes
                && upstream.representation.bytes == content.count
                ? nil : "the answer has other lengths"
        } catch {
            return error.chain.first == decoding.codings.error || decoding.codings.error == nil
                ? nil : "\(error.chain) in place of \(decoding)"
        }
    }

    private final class Grants: MemoryGrant {
        private nonisolated(unsafe) var left: Int

        init(bytes: Int) {
            left = bytes
        }

        func grow(by bytes: Int) -> Bool {
            guard bytes <= left else { return false }
            left -= bytes
            return true
        }
    }
}
