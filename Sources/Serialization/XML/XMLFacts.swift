/// What an answer says about an XML document beside its value.
public struct XMLFacts: Equatable, Sendable {
    /// Of the XML declaration. Nil without one.
    public var version: String?

    /// What the declaration calls the encoding. Nil where it says nothing.
    public var encoding: String?

    public var doctype: Doctype?

    /// Prefixes as they are written, and what they stand for; the empty one is the default namespace. In the order of
    /// their first declaration, at most ``maxListed``.
    public var namespaces: [Namespace] = []

    /// Paths of the arrays of the compact form that only repetition made, as `xml-arrays` takes them: with one such
    /// element there would be no array. At most ``maxListed``, of ``maxInferredBytes`` together. Of a path longer than
    /// ``Limits/maxPointerBytes`` its first whole steps and `…`, once for all that begin so.
    public var inferredArrays: [String] = []

    /// Most namespaces, and most paths, that are listed.
    public static let maxListed = 100

    /// Most that the listed paths are long together, in bytes.
    public static let maxInferredBytes = 64 << 10

    public struct Doctype: Equatable, Sendable {
        public var name: String
        public var publicIdentifier: String?
        public var systemIdentifier: String?
    }

    public struct Namespace: Equatable, Sendable {
        public var prefix: String
        /// Nearly always one; more where the prefix is declared again with another meaning.
        public var names: [String]
    }
}

/// Collects namespace declarations as they are met.
struct XMLNamespaceList {
    /// By the prefix's number: the ranges of the namespaces' names in the tape's text.
    private var declared: [(prefix: Int, names: [Range<Int>])] = []
    private var count = 0

    mutating func add(_ prefix: Int, _ name: Range<Int>, _ tape: borrowing XMLTape) {
        guard count < XMLFacts.maxListed else { return }
        if let index = declared.firstIndex(where: { $0.prefix == prefix }) {
            for known in declared[index].names where tape.isEqual(known, name) { return }
            declared[index].names.append(name)
        } else {
            declared.append((prefix, [name]))
        }
        count += 1
    }

    func list(_ tape: borrowing XMLTape) -> [XMLFacts.Namespace] {
        var list: [XMLFacts.Namespace] = []
        for (prefix, names) in declared {
            var texts: [String] = []
            for name in names { texts.append(tape.string(name)) }
            list.append(XMLFacts.Namespace(prefix: tape.string(tape.name(prefix).local), names: texts))
        }
        return list
    }
}

extension XMLTape {
    /// The document type declaration; nil without one.
    var doctype: XMLFacts.Doctype? {
        let root = root
        var index = startIndex
        while index < root, kind(at: index) != .doctype { index = self.index(after: index) }
        guard index < root else { return nil }
        return XMLFacts.Doctype(
            name: string(name(name(at: index)).local),
            publicIdentifier: publicIdentifier,
            systemIdentifier: systemIdentifier
        )
    }

    /// Whether two pieces of the text are the same.
    func isEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        guard first != second else { return true }
        guard first.count == second.count else { return false }
        return withText(first) { first in
            withText(second) { second in first.indices.allSatisfy { first[$0] == second[$0] } }
        }
    }

    /// Whether a piece of the text is `word`.
    func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        guard range.count == word.utf8CodeUnitCount else { return false }
        return withText(range) { text in
            // `word` has as many bytes as the text, all of them constant.
            text.indices.allSatisfy { unsafe text[$0] == word.utf8Start[$0] }
        }
    }
}
