/// `libFuzzer` calls this with one input after the other: eight bytes that select the offsets at which the stream is
/// cut, then the stream.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = RequestStreamOracle.violation(forStream: input) { fatalError(violation) }
    return 0
}
