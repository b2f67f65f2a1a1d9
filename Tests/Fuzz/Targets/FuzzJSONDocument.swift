/// `libFuzzer` calls this with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = JSONDocumentOracle.violation(for: input) { fatalError(violation) }
    return 0
}
