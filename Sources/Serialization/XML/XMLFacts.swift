/// The facts about an XML document that an answer contains in addition to its value.
public struct XMLFacts: Equatable, Sendable {
    /// The version in the XML declaration. `nil` if there is no declaration.
    public var version: String?

    /// The encoding in the XML declaration. `nil` if it contains none.
    public var encoding: String?

    public var doctype: Doctype?

    /// The prefixes as written, and their namespaces; the empty prefix is the default namespace. They are in the order
    /// of their first declaration, at most ``maxListed``.
    public var namespaces: [Namespace] = []

    /// The paths of the arrays in the compact layout that exist only because an element is repeated, in the syntax of
    /// `xml-arrays`: a single such element would not be an array. At most ``maxListed`` paths of ``maxInferredBytes``
    /// bytes in total. A path longer than ``Limits/maxPointerBytes`` is truncated after a whole step and ends with `…`;
    /// paths with the same beginning are listed once.
    public var inferredArrays: [String] = []

    /// The maximum numbers of namespaces and of paths that are listed.
    public static let maxListed = 100

    /// The maximum total length of the listed paths, in bytes.
    public static let maxInferredBytes = 64 << 10

    public struct Doctype: Equatable, Sendable {
        public var name: String
        public var publicIdentifier: String?
        public var systemIdentifier: String?
    }

    public struct Namespace: Equatable, Sendable {
        public var prefix: String
        /// Usually one namespace; several if the prefix is redeclared.
        public var names: [String]
    }
}

/// Collects namespace declarations in document order.
struct XMLNamespaceList {
    /// For the number of each prefix: the ranges of the namespaces in the text of the tape.
    private var declared: [(prefix: Int, names: [Range<Int>])] = []
    private var count = 0

    mutating func add(_ prefix: Int, _ name: Range<Int>) {
        guard count < XMLFacts.maxListed else { return }
        if let index = declared.firstIndex(where: { $0.prefix == prefix }) {
            // The tape stores each namespace once.
            if declared[index].names.contains(name) { return }
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
    /// The document type declaration, or `nil` if there is none.
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

    /// Returns whether two ranges of the text are equal.
    func isEqual(_ first: Range<Int>, _ second: Range<Int>) -> Bool {
        first == second || withText(first) { first in withText(second) { first.equals($0) } }
    }

    /// Returns whether a range of the text is `word`.
    func isEqual(_ range: Range<Int>, _ word: StaticString) -> Bool {
        range.count == word.utf8CodeUnitCount && withText(range) { $0.hasText(word, at: 0) }
    }

    /// Returns whether a range of the text is `word`, if the case of the letters A to Z is ignored.
    func isEqual(_ range: Range<Int>, ignoringCaseOf word: String) -> Bool {
        range.count == word.utf8.count && withText(range) { $0.equalsIgnoringASCIICase(word.utf8.span) }
    }
}
