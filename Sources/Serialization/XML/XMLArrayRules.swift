// The elements that are arrays even if there is only one, so that a feed with one item has the shape of a feed with
// two.
//
// By default, these are the elements of well-known vocabularies, which are matched by the root or the namespace, the
// parent and the element. The caller can add paths (`/order/item`), or make every child element an array.

/// Decides which elements of one document are arrays.
struct XMLArrayRules {
    private let always: Bool

    /// For the number of each name, one bit per rule: the vocabulary rules in which the name is an element, and those
    /// in which it is a parent.
    private var asElement: [UInt32] = []
    private var asParent: [UInt32] = []

    /// The caller's paths as a tree: from a node and a key to the next node.
    private var steps: [Step: Int] = [:]
    private var ends: Set<Int> = []

    private struct Step: Hashable {
        var node: Int
        var key: Int
    }

    /// A node in the tree of the caller's paths. `nil` if no path continues here.
    typealias Node = Int?

    init(_ arrays: XMLArrays, _ tape: borrowing XMLTape, _ keys: XMLKeys) {
        switch arrays {
        case .always:
            always = true
            return
        case .auto: always = false
        case .paths(let paths):
            always = false
            addPaths(paths, keys)
        }
        addVocabularies(tape)
    }

    /// Returns the node of the root element.
    func root(_ key: Int) -> Node { node(after: 0, key) }

    @inline(__always) func node(after node: Node, _ key: Int) -> Node {
        guard let node, !steps.isEmpty else { return nil }
        return steps[Step(node: node, key: key)]
    }

    /// Returns the vocabulary rules that apply to the children of an element with this name, one bit each.
    @inline(__always) func rules(in parent: Int) -> UInt32 { always ? 0 : asParent[parent] }

    /// Returns whether an element at `node` is an array, whatever the number of elements.
    /// - Parameter rules: The rules that apply in its parent.
    @inline(__always) func isArray(_ element: Int, _ rules: UInt32, _ node: Node) -> Bool {
        if always || (asElement[element] & rules) != 0 { return true }
        guard let node else { return false }
        return ends.contains(node)
    }

    private mutating func addPaths(_ paths: [[ContentName]], _ keys: XMLKeys) {
        var numbers: [ContentName: Int] = [:]
        for key in 0..<keys.count { numbers[ContentName(keys.text(key))] = key }
        var last = 0
        next: for path in paths {
            var node = 0
            for name in path {
                // A key that the document does not contain cannot match.
                guard let key = numbers[name] else { continue next }
                let step = Step(node: node, key: key)
                if steps[step] == nil {
                    last += 1
                    steps[step] = last
                }
                node = steps[step] ?? 0
            }
            ends.insert(node)
        }
    }

    private mutating func addVocabularies(_ tape: borrowing XMLTape) {
        asElement = Array(repeating: 0, count: tape.nameCount)
        asParent = asElement
        let root = tape.name(tape.name(at: tape.root))
        for (index, rule) in XMLVocabulary.rules.enumerated() {
            let bit = UInt32(1) << UInt32(index)
            let hasRoot = tape.isEqual(root.local, anyOf: rule.roots)
            for number in 0..<tape.nameCount {
                let name = tape.name(number)
                let isOfVocabulary =
                    // The tape stores each namespace once.
                    hasRoot && name.namespace == root.namespace
                    || tape.isEqual(name.namespace, anyOf: rule.namespaces)
                guard isOfVocabulary || rule.parents.isEmpty else { continue }
                if isOfVocabulary, tape.isEqual(name.local, anyOf: rule.elements) { asElement[number] |= bit }
                if rule.parents.isEmpty || tape.isEqual(name.local, anyOf: rule.parents) { asParent[number] |= bit }
            }
        }
    }
}
