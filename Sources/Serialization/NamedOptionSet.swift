/// A set whose elements have names in the HTTP contract.
public protocol NamedOptionSet: OptionSet where Element == Self {
    /// Each element with its name.
    static var named: [(name: String, element: Self)] { get }
}

extension NamedOptionSet {
    /// The names of the elements, comma-separated; empty for the empty set.
    package var names: String { Self.named.filter { contains($0.element) }.map(\.name).joined(separator: ",") }
}
