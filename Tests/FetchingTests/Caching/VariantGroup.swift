import Fetching

/// The stored responses of one primary key: at most eight, each for other values of the fields that `Vary` names.
struct VariantGroup<Value> {
    /// The maximum number of variants.
    static var maxVariants: Int { 8 }

    /// The variants, by their last use; the most recent one is the last.
    private(set) var variants: [(key: VaryKey, value: Value)] = []

    init() {}

    var isEmpty: Bool { variants.isEmpty }

    /// Returns the variant that a request selects, and counts this as its use.
    mutating func select(_ key: VaryKey) -> Value? {
        guard let index = variants.firstIndex(where: { $0.key == key }) else { return nil }
        variants.append(variants.remove(at: index))
        return variants.last?.value
    }

    /// Stores a variant, and returns those that it replaces: the one with the same key, or the one whose last use is the oldest.
    mutating func insert(_ value: Value, for key: VaryKey) -> [Value] {
        var replaced = remove(key).map { [$0] } ?? []
        if variants.count == Self.maxVariants { replaced.append(variants.removeFirst().value) }
        variants.append((key, value))
        return replaced
    }

    /// Removes a variant, and returns it.
    mutating func remove(_ key: VaryKey) -> Value? {
        guard let index = variants.firstIndex(where: { $0.key == key }) else { return nil }
        return variants.remove(at: index).value
    }
}
