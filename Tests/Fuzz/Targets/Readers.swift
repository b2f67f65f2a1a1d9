/// The target with the name of this program.
private let target: FuzzTarget = {
    let name = CommandLine.arguments.first?.split(separator: "/").last ?? ""
    guard let target = FuzzTarget(rawValue: String(name)) else { fatalError("there is no fuzz target \(name)") }
    return target
}()

/// `libFuzzer` calls this with one input after the other.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let input = Array(UnsafeBufferPointer(start: start, count: count))
    if let violation = target.violation(for: input) { fatalError(violation) }
    if let violation = target.costViolation(for: input) { fatalError(violation) }
    return 0
}
