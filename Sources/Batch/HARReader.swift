/// Reads the entries of an HTTP archive.
struct HARReader: BatchReader {
    init(_: InputBuffer, limits: BatchLimits) {}

    mutating func next<Source: ByteSource & ~Copyable>(
        from source: inout Source
    ) throws(BatchInputError) -> BatchBlock? {
        throw .unsupported("HTTP archives are not supported")
    }
}
