/// The types of values in an XML document, from the `xsi:type` attributes of its elements (XML Schema Part 1, §2.6.1).
///
/// Types are reported under the JSON Pointers of the compact layout: that of the text if the element contains only
/// text, otherwise that of the element. This type therefore traverses the tape in the same way as ``XMLCompactWriter``
/// and uses the same rules for arrays. The traversal is separate, because few documents have types and the writer
/// should not search for them.
struct XMLTypeHints {
    private let keys: XMLKeys
    private let arrays: XMLArrayRules
    private let options: XMLReader.Options
    private let spaceName: Int?
    /// Whether the name with this number is `xsi:type`. There is one such name for each prefix, possibly thousands.
    private let isType: [Bool]
    /// The entries by key. Empty until used.
    private var entries: [Entry] = []
    /// The path of the current value, and how many of its steps the hints contain. Names may be long, and few elements
    /// have a type: the steps are only entered when a type is noted.
    private var path: [Step] = []
    private var enteredSteps = 0

    private enum Step {
        case key(Int)
        case index(Int)
        case text
        case content
    }

    private static let schemaInstance: StaticString = "http://www.w3.org/2001/XMLSchema-instance"

    /// The maximum length of a reported type, in bytes.
    private static let maxTypeBytes = 1024

    /// Adds the types in `tape` to `hints`.
    static func read(
        _ tape: borrowing XMLTape,
        _ keys: XMLKeys,
        _ arrays: XMLArrayRules,
        _ options: XMLReader.Options,
        into hints: inout TypeHints
    ) {
        let isType = tape.areTypeAttributes(in: schemaInstance)
        guard isType.contains(true) else { return }
        var reader = XMLTypeHints(
            keys: keys,
            arrays: arrays,
            options: options,
            spaceName: tape.numberOfSpaceAttribute,
            isType: isType
        )
        let key = keys.element(tape.name(at: tape.root))
        reader.path.append(.key(key))
        let context = Context(preservesSpace: false, listed: reader.arrays.root(key))
        reader.visit(tape.root, context, tape, &hints)
    }

    private mutating func leave(_ hints: inout TypeHints) {
        path.removeLast()
        guard enteredSteps > path.count else { return }
        hints.leave()
        enteredSteps = path.count
    }

    /// The state that children inherit.
    private struct Context {
        var preservesSpace: Bool
        var listed: XMLArrayRules.Node
    }

    /// Visits one element. The parser bounds the depth: ``Limits/maxXMLNestingDepth``.
    private mutating func visit(
        _ element: Int,
        _ inherited: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        if hints.isOverLimit { return }
        var context = inherited
        var type: Range<Int>?
        var attributes = XMLTape.AttributeCursor(tape.attributes(of: element))
        while let attribute = attributes.next(in: tape) {
            guard !attribute.isDeclaration else { continue }
            if isType[attribute.name] { type = tape.trimmed(attribute.value) }
            if attribute.name == spaceName { context.preservesSpace = tape.isEqual(attribute.value, "preserve") }
        }
        let composition = tape.composition(of: element)
        if let type {
            let isText = !composition.hasElements && hasText(element, tape)
            if isText { path.append(.text) }
            note(type, tape, &hints)
            if isText { leave(&hints) }
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

    /// Notes a type if it is a name. Other text is not reported, but the value contains it as an attribute.
    private mutating func note(_ type: Range<Int>, _ tape: borrowing XMLTape, _ hints: inout TypeHints) {
        guard 1...Self.maxTypeBytes ~= type.count else { return }
        let isName = tape.withText(type) { name in name.indices.allSatisfy { name[$0] > 0x20 } }
        guard isName else { return }
        for step in path[enteredSteps...] {
            switch step {
            case .key(let key): hints.enter(utf8: keys.text(key).utf8.span)
            case .index(let index): hints.enter(index: index)
            case .text: hints.enter("#text")
            case .content: hints.enter("#content")
            }
        }
        enteredSteps = path.count
        tape.withText(type) { hints.note(utf8: $0) }
    }

    /// The state of one key of an element's children. All elements share the table of keys. An entry identifies its
    /// parent.
    private struct Entry {
        var parent = -1
        var isArray = false
        var count: UInt32 = 0
        /// The number of children that have an index.
        var index: UInt32 = 0
    }

    /// Returns the index of each child in the array of its key, or `notInArray`. Four bytes
    /// for each child, because there may be as many lists at a time as elements are open.
    private mutating func indices(of element: Int, _ context: Context, _ tape: borrowing XMLTape) -> [UInt32] {
        let rules = arrays.rules(in: tape.name(at: element))
        if entries.isEmpty { entries = Array(repeating: Entry(), count: keys.count) }
        var count = 0
        var children = tape.childElements(of: element)
        while let child = children.next(in: tape) {
            let name = tape.name(at: child)
            let key = keys.element(name)
            if entries[key].parent != element {
                // The first child with a key decides.
                let isArray = arrays.isArray(name, rules, arrays.node(after: context.listed, key))
                entries[key] = Entry(parent: element, isArray: isArray)
            }
            entries[key].count += 1
            count += 1
        }
        var indices: [UInt32] = []
        indices.reserveCapacity(count)
        children = tape.childElements(of: element)
        while let child = children.next(in: tape) {
            let key = keys.element(tape.name(at: child))
            if entries[key].isArray || entries[key].count > 1 {
                indices.append(entries[key].index)
                entries[key].index += 1
            } else {
                indices.append(Self.notInArray)
            }
        }
        return indices
    }

    private static let notInArray = UInt32.max

    private mutating func visitMembers(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        var indices = indices(of: element, context, tape).makeIterator()
        var children = tape.childElements(of: element)
        while let child = children.next(in: tape), let index = indices.next() {
            let key = keys.element(tape.name(at: child))
            path.append(.key(key))
            if index != Self.notInArray { path.append(.index(Int(index))) }
            visit(child, inner(context, key), tape, &hints)
            if index != Self.notInArray { leave(&hints) }
            leave(&hints)
        }
    }

    private mutating func visitMixed(
        _ element: Int,
        _ context: Context,
        _ tape: borrowing XMLTape,
        _ hints: inout TypeHints
    ) {
        path.append(.content)
        let content = tape.content(of: element)
        var child = content.lowerBound
        var index = 0
        while child < content.upperBound {
            if tape.kind(at: child) == .element {
                let key = keys.element(tape.name(at: child))
                path.append(.index(index))
                path.append(.key(key))
                visit(child, inner(context, key), tape, &hints)
                leave(&hints)
                leave(&hints)
            }
            index += 1
            child = tape.next(after: child)
        }
        leave(&hints)
    }

    private func inner(_ context: Context, _ key: Int) -> Context {
        Context(preservesSpace: context.preservesSpace, listed: arrays.node(after: context.listed, key))
    }
}

extension XMLTape {
    /// Returns for each number whether the name is the attribute `type` of the namespace `namespace`.
    fileprivate func areTypeAttributes(in namespace: StaticString) -> [Bool] {
        var areTypes: [Bool] = []
        for number in 0..<nameCount {
            let name = name(number)
            areTypes.append(isEqual(name.local, "type") && isEqual(name.namespace, namespace))
        }
        return areTypes
    }
}
