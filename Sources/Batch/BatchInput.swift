internal import Primitives

/// One input, whose format is given, or is detected from its name and its first bytes.
///
/// Signatures take precedence over the name: gzip and `WARC/` begin web archives, and other compressed content and ARC
/// are not supported. Other content has the format of its name. Without one, an object whose first member is `log` is
/// an HTTP archive, and everything else is NDJSON. Frames are never detected. If a web archive is not only detected by
/// its content, its first member of gzip may be damaged, or contain something else.
///
/// **Invariant**: each byte is read once and examined a bounded number of times, the items do not depend on the sizes
/// of the reads, and at most one item beyond a block is in memory. `LineReaderTests`, `FrameReaderTests`,
/// `HARReaderTests`, `WARCReaderTests`, `WARCMemberTests` and `BatchMutationTests` check this.
package struct BatchInput: BatchReader {
    /// The format; `nil` before the first call of ``next(from:)``, unless it is given.
    package private(set) var format: BatchFormat?

    private var input = InputBuffer()
    private let name: String
    private let limits: BatchLimits
    private var reader: (any BatchReader)?

    /// - Parameters:
    ///   - name: the name of the file; empty if there is none.
    ///   - format: `nil` to detect the format.
    package init(name: String, format: BatchFormat?, limits: BatchLimits) {
        self.name = name
        self.format = format
        self.limits = limits
    }

    package mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        if reader == nil {
            let evidence: WARCEvidence = format == .warc || namedFormat == .warc ? .format : .content
            let (format, signature) = try detectFormat(from: &source)
            self.format = format
            let isNamedGzip = evidence == .format && signature != .warc && name.asciiLowercased.hasSuffix(".gz")
            reader = makeReader(format, isNamedGzip ? .gzipName : evidence)
        }
        return try reader?.next(from: &source)
    }

    private mutating func makeReader(_ format: BatchFormat, _ evidence: WARCEvidence) -> any BatchReader {
        defer { input = InputBuffer() }
        return switch format {
        case .ndjson: LineReader(input, limits: limits)
        case .har: HARReader(input, limits: limits)
        case .warc: WARCReader(input, evidence, limits: limits)
        case .frames: FrameReader(input, limits: limits)
        }
    }

    /// Reads as many bytes as the detection needs.
    private mutating func detectFormat<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> (BatchFormat, BatchSignature) {
        // A program that writes frames may wait for a result.
        if format == .frames { return (.frames, .other) }
        while true {
            let isComplete = input.isComplete || input.count >= BatchSignature.maxBytes
            let isZstd = name.asciiLowercased.hasSuffix(".zst")
            let signature = isZstd ? .zstd : BatchSignature(input.bytes.span, isComplete: isComplete)
            switch signature {
            case .unsupported(let sentence)?: throw .unsupported(sentence)
            case .gzip?: return (format ?? .warc, .gzip)
            case .warc?: return (format ?? .warc, .warc)
            case .log?: return (format ?? namedFormat ?? .har, .log)
            case .other?: return (format ?? namedFormat ?? .ndjson, .other)
            case nil: _ = try input.read(from: &source)
            }
        }
    }

    /// The format of the extension of the name.
    private var namedFormat: BatchFormat? {
        let name = name.asciiLowercased
        return if name.hasSuffix(".har") {
            .har
        } else if name.hasSuffix(".warc") || name.hasSuffix(".warc.gz") {
            .warc
        } else if name.hasSuffix(".ndjson") || name.hasSuffix(".jsonl") {
            .ndjson
        } else {
            nil
        }
    }
}
