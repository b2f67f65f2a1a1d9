// Tests/Fuzz/build compiles this file and the oracles as one module.
#if canImport(Service)
    import FuzzOracles
#endif

/// The inputs of the fuzz targets.
extension RequestStreamOracle {
    /// The input of `FuzzRequestStream`: a seed of eight bytes for the cuts, and a stream.
    static func violation(forStream input: [UInt8]) -> String? {
        let (seed, stream) = seeded(input)
        return violation(for: stream, cuts(of: stream, seed))
    }

    /// The input of `FuzzRequestHead`: one byte for the surroundings, a seed of eight bytes, and lines.
    ///
    /// The low two bits of the byte select what precedes the lines, and the other bits the size of a field before them,
    /// up to the limit of a head.
    static func violation(forHead input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let (seed, lines) = seeded(Array(input.dropFirst()))
        let fillBytes = choice >> 2 == 0 ? 0 : 16_384 - 80 - 8 * (Int(choice >> 2) - 1)
        var stream = Array("GET / HTTP/1.1\r\n".utf8)
        switch choice & 3 {
        case 0: stream = []
        case 1: break
        case 2: stream += Array("Host: a\r\n".utf8)
        default: stream = Array("POST / HTTP/1.0\r\nConnection: keep-alive\r\n".utf8)
        }
        if fillBytes > 0, !stream.isEmpty {
            stream += Array("X: ".utf8) + [UInt8](repeating: 0x78, count: fillBytes) + [13, 10]
        }
        stream += lines
        if choice & 3 != 0 { stream += Array("\r\n\r\n".utf8) }
        return violation(for: stream, cuts(of: stream, seed))
    }

    /// The input of `FuzzChunks`: one byte for the length of an extension, a seed of eight bytes, and chunks.
    static func violation(forChunks input: [UInt8]) -> String? {
        guard let choice = input.first else { return nil }
        let (seed, chunks) = seeded(Array(input.dropFirst()))
        var stream = Array("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n".utf8)
        if choice > 0 {
            let fillBytes = 16_384 - Int(choice)
            stream += Array("1;".utf8) + [UInt8](repeating: 0x78, count: fillBytes) + Array("\r\nx\r\n".utf8)
        }
        stream += chunks
        return violation(for: stream, cuts(of: stream, seed))
    }

    private static func seeded(_ input: [UInt8]) -> (seed: UInt64, rest: [UInt8]) {
        (input.prefix(8).reduce(0) { $0 << 8 | UInt64($1) }, Array(input.dropFirst(8)))
    }

    /// Returns random cuts, and a cut before every byte of a short stream.
    static func cuts(of stream: [UInt8], _ seed: UInt64) -> [StreamCuts] {
        var random = RandomSource(seed: seed)
        let cuts = StreamCuts.random(in: stream, &random)
        return stream.count <= 600 ? [cuts, .everywhere(in: stream.count)] : [cuts]
    }
}
