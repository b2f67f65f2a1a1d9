// Which elements are arrays even when there is only one, so that a feed of one item has the shape of a feed of two.
//
// Without being told, those of well-known vocabularies: matched by the root or the namespace, the parent and the element.
// To them the caller adds paths (`/order/item`), or says that every element child is one.

/// Decides which elements of one document are arrays.
struct XMLArrayRules {
    private let always: Bool

    /// By the number of a name: the vocabulary's rules that the name is an element of, and those that it is a parent of,
    /// a bit a rule.
    private var asElement: [UInt32] = []
    private var asParent: [UInt32] = []

    /// The caller's paths as a tree: from a place and a key to the next place.
    private var steps: [Step: Int] = [:]
    private var ends: Set<Int> = []

    private struct Step: Hashable {
        var place: Int
        var key: Int
    }

    /// A place in the caller's paths. Nil: no path goes on here.
    typealias Place = Int?

    init(_ arrays: XMLArrays, _ tape: borrowing XMLTape, _ keys: XMLKeys) {
        switch arrays {
        case .always:
            always = true
            return
        case .auto:
            always = false
        case .paths(let paths):
            always = false
            addPaths(paths, keys)
        }
        addVocabularies(tape)
    }

    /// The place of the root element.
    func root(_ key: Int) -> Place {
        place(after: 0, key)
    }

    @inline(__always) func place(after place: Place, _ key: Int) -> Place {
        guard let place, !steps.isEmpty else { return nil }
        return steps[Step(place: place, key: key)]
    }

    /// The vocabularies' rules that hold in an element of this name, a bit each.
    @inline(__always) func rules(in parent: Int) -> UInt32 {
        always ? 0 : asParent[parent]
    }

    /// Whether an element at `place` is an array, however many there are.
    /// - Parameter rules: those that hold in its parent.
    @inline(__always) func isArray(_ element: Int, _ rules: UInt32, _ place: Place) -> Bool {
        if always || (asElement[element] & rules) != 0 { return true }
        guard let place else { return false }
        return ends.contains(place)
    }

    private mutating func addPaths(_ paths: [[String]], _ keys: XMLKeys) {
        var numbers: [String: Int] = [:]
        for key in 0..<keys.count { numbers[keys.text(key)] = key }
        var last = 0
        next: for path in paths {
            var place = 0
            for name in path {
                // What the document does not name is not in it.
                guard let key = numbers[name] else { continue next }
                let step = Step(place: place, key: key)
                if steps[step] == nil {
                    last += 1
                    steps[step] = last
                }
                place = steps[step] ?? 0
            }
            ends.insert(place)
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
                    hasRoot && tape.isEqual(name.namespace, root.namespace)
                    || tape.isEqual(name.namespace, anyOf: rule.namespaces)
                guard isOfVocabulary || rule.parents.isEmpty else { continue }
                if isOfVocabulary, tape.isEqual(name.local, anyOf: rule.elements) { asElement[number] |= bit }
                if rule.parents.isEmpty || tape.isEqual(name.local, anyOf: rule.parents) { asParent[number] |= bit }
            }
        }
    }
}
