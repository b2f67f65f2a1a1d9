/// `libFuzzer` calls this with one input after the other: nine bytes that select the length of a first extension and
/// the offsets at which the stream is cut, then the chunks.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = RequestStreamOracle.violation(forChunks: input) { fatalError(violation) }
    return 0
}
