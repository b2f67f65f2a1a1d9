/// `libFuzzer` calls this with one input after the other, each of which follows the signature.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = PropertyListOracle.violation(for: input, head: Array("bplist00".utf8)) { fatalError(violation) }
    if let violation = CostOracle.violation(for: input, headBytes: 1, head: Array("bplist00".utf8), .propertyList) {
        fatalError(violation)
    }
    return 0
}
