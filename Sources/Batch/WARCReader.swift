/// Reads the records of a web archive.
struct WARCReader: BatchReader {
    init(_: InputBuffer, limits: BatchLimits) {}

    mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        throw .unsupported("web archives are not supported")
    }
}
