import CEncoders

/// Encodes content as an upstream does.
public enum Encoder: String, CaseIterable, Sendable {
    case gzip
    /// `deflate` as it is specified: in zlib's wrapper.
    case zlib
    /// `deflate` as some servers send it.
    case raw
    case brotli
    case zstd

    /// The name in `Content-Encoding`.
    public var coding: String {
        switch self {
        case .gzip: "gzip"
        case .zlib, .raw: "deflate"
        case .brotli: "br"
        case .zstd: "zstd"
        }
    }

    /// Whether a change of any byte of the data is noticed.
    public var hasChecksum: Bool {
        switch self {
        case .gzip, .zlib, .zstd: true
        case .raw, .brotli: false
        }
    }

    public func encode(_ bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .gzip: Self.deflate(bytes, CENCODERS_GZIP)
        case .zlib: Self.deflate(bytes, CENCODERS_ZLIB)
        case .raw: Self.deflate(bytes, CENCODERS_RAW)
        case .brotli: Self.brotli(bytes)
        case .zstd: Self.encode(bytes) { cencoders_zstd($0, $1, 3, 1, $2, $3) }
        }
    }

    public static func brotli(_ bytes: [UInt8], windowBits: Int = 22, isLargeWindow: Bool = false) -> [UInt8] {
        encode(bytes) { cencoders_brotli($0, $1, 5, CInt(windowBits), isLargeWindow ? 1 : 0, $2, $3) }
    }

    private static func deflate(_ bytes: [UInt8], _ wrapper: cencoders_wrapper) -> [UInt8] {
        encode(bytes) { cencoders_deflate($0, $1, 6, wrapper, $2, $3) }
    }

    private static func encode(
        _ bytes: [UInt8],
        _ encode: (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>, Int) -> Int
    ) -> [UInt8] {
        let room = bytes.count + bytes.count / 4 + 1024
        return [UInt8](unsafeUninitializedCapacity: room) { output, count in
            count = bytes.withUnsafeBufferPointer { bytes in
                output.baseAddress.map { encode(bytes.baseAddress, bytes.count, $0, room) } ?? 0
            }
            precondition(count > 0, "the encoder failed")
        }
    }
}
