/// What an XML document says itself of the types of its values: the `xsi:type` of its elements (XML Schema Part 1, §2.6.1).
///
/// Types are told by the JSON Pointers of the compact form: that of the text where an element has nothing else, otherwise that
/// of the element. So this walks the tape as ``XMLCompactWriter`` does, and holds the same view of what is an array; a walk of
/// its own, because few documents have types and the writer should not look for them.
struct XMLTypeHints {
    private let keys: XMLKeys
    private let arrays: XMLArrayRules
    private let options: XMLReader.Options
    private let spaceName: Int?
    /// Whether the name with a number is `xsi:type`: there is one for each prefix, and there may be thousands.
    private let isType: [Bool]

    private static let schemaInstance: StaticString = "http://www.w3.org/2001/XMLSchema-instance"

    /// Longest type that is told, in bytes.
    private static let maxTypeBytes = 1024

    /// Adds what `tape` says to `hints`.
    static func read(_ tape: borrowing XMLTape, _ options: XMLReader.Options, into hints: inout TypeHints) {
        let isType = tape.areTypeAttributes(in: schemaInstance)
        guard isType.contains(true) else { return }
        let keys = XMLKeys(tape, options.names)
        let reader = XMLTypeHints(
            keys: keys,
            arrays: XMLArrayRules(options.arrays, tape, keys),
            options: options,
            spaceName: tape.numberOfSpaceAttribute,
            isType: isType
        )
        let key = keys.element(tape.name(at: tape.root))
        hints.enter(utf8: keys.text(key).utf8.span)
        reader.visit(tape.root, Context(preservesSpace: false, listed: reader.arrays.root(key)), tape, &hints)
        hints.leave()
    }

    /// What children inherit.
    private struct Context {
        var preservesSpace: Bool
        var listed: XMLArrayRules.Place
    }

    /// The depth is bounded by the parser: ``Limits/maxXMLNestingDepth``.
    private func visit(
        _ element: Int,
        _ inherited: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        if hints.isOverLimit { return }
        var context = inherited
        var type: Range<Int>?
        let attributes = tape.attributes(of: element)
        var index = attributes.lowerBound
        while index < attributes.upperBound {
            defer { index = tape.attribute(after: index) }
            guard tape.kind(at: index) == .attribute else { continue }
            if isType[tape.name(at: index)] { type = tape.trimmed(tape.text(at: index)) }
            if tape.name(at: index) == spaceName {
                context.preservesSpace = tape.isEqual(tape.text(at: index), "preserve")
            }
        }
        let composition = tape.composition(of: element)
        if let type {
            let isText = !composition.hasElements && hasText(element, tape)
            if isText { hints.enter("#text") }
            note(type, tape, &hints)
            if isText { hints.leave() }
        }
        guard composition.hasElements else { return }
        if composition.hasWords || composition.hasBlanks && context.preservesSpace {
            visitMixed(element, context, tape, &hints)
        } else {
            visitMembers(element, context, tape, &hints)
        }
    }

    private func hasText(_ element: Int, _ tape: borrowing XMLTape) -> Bool {
        if options.text == .object { return true }
        let text = tape.text(at: element)
        return !(options.trims ? tape.trimmed(text) : text).isEmpty
    }

    /// What is no name is not told; it still stands in the value, as the attribute that it is.
    private func note(_ type: Range<Int>, _ tape: borrowing XMLTape, _ hints: inout TypeHints) {
        guard 1...Self.maxTypeBytes ~= type.count else { return }
        tape.withText(type) { name in
            if name.indices.allSatisfy({ name[$0] > 0x20 }) { hints.note(utf8: name) }
        }
    }

    /// One key of an element's children.
    private struct Member {
        var isArray: Bool
        var count = 0
        /// How many were visited.
        var index = 0
    }

    private func visitMembers(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        let end = tape.end(at: element)
        let first = tape.firstElement(from: tape.content(of: element).lowerBound, to: end)
        let rules = arrays.rules(in: tape.name(at: element))
        var members: [Int: Member] = [:]
        var child = first
        while child < end {
            let name = tape.name(at: child)
            let key = keys.element(name)
            let listed = arrays.place(after: context.listed, key)
            // The first of a key decides.
            members[key, default: Member(isArray: arrays.isArray(name, rules, listed))].count += 1
            child = tape.firstElement(from: tape.end(at: child), to: end)
        }
        child = first
        while child < end {
            let key = keys.element(tape.name(at: child))
            let index = members[key]?.index ?? 0
            let isArray = members[key].map { $0.isArray || $0.count > 1 } ?? false
            members[key]?.index += 1
            hints.enter(utf8: keys.text(key).utf8.span)
            if isArray { hints.enter(index: index) }
            visit(child, inner(context, key), tape, &hints)
            if isArray { hints.leave() }
            hints.leave()
            child = tape.firstElement(from: tape.end(at: child), to: end)
        }
    }

    private func visitMixed(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        hints.enter("#content")
        let content = tape.content(of: element)
        var child = content.lowerBound
        var index = 0
        while child < content.upperBound {
            if tape.kind(at: child) == .element {
                let key = keys.element(tape.name(at: child))
                hints.enter(index: index)
                hints.enter(utf8: keys.text(key).utf8.span)
                visit(child, inner(context, key), tape, &hints)
                hints.leave()
                hints.leave()
            }
            index += 1
            child = tape.next(after: child)
        }
        hints.leave()
    }

    private func inner(_ context: Context, _ key: Int) -> Context {
        Context(preservesSpace: context.preservesSpace, listed: arrays.place(after: context.listed, key))
    }
}

extension XMLTape {
    /// By number, whether a name is the attribute `type` of the namespace `namespace`.
    fileprivate func areTypeAttributes(in namespace: StaticString) -> [Bool] {
        var areTypes: [Bool] = []
        for number in 0..<nameCount {
            let name = name(number)
            areTypes.append(isEqual(name.local, "type") && isEqual(name.namespace, namespace))
        }
        return areTypes
    }
}
