/// An argument of a test that is too long for the output of the tests. Its description is short.
public struct LongArgument<Value: Collection & Sendable>: CustomStringConvertible, Sendable {
    public var value: Value

    public init(_ value: Value) {
        self.value = value
    }

    public var description: String {
        let start = value.prefix(40)
        let text = (start as? Substring).map(String.init) ?? "\(Array(start))"
        return start.count < value.count ? "\(text)… (\(value.count) elements)" : text
    }
}
