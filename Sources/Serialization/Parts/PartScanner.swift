// A scanner for parts of a value, in one pass over its minified JSON text.
//
// The text is read in blocks of 64 bytes. For each block, masks have the positions of brackets, colons and commas
// outside of strings. The scanner visits few of these positions:
//
// - brackets, everywhere;
// - in a container that no pattern enters, nothing else;
// - in an object of which names are searched, the colons after names of the same lengths: the mask of quotes, moved by
//   the length of a name and its quotes, has a bit at the colon;
// - commas, if elements are counted, or to find the end of a removed member or element.
//
// It keeps one level for each open container that a pattern enters; the set of patterns that do so is a word, with one
// bit per pattern.
//
//     /items/*/internal                  levels               set
//     {"id":7,"items":[{"internal":1     object, array, object   {0}, {0}, {0}
//       │              │ └ the pattern ends: the member is removed
//       └ no pattern   └ element 0: `*`
//
// A range is removed by moving what follows it, up to the next removed range, towards the beginning: the text that is
// still to be read is never changed.

/// Finds the part to which a pointer leads, or removes the parts that patterns denote.
struct PartScanner {
    private enum Purpose {
        /// Finds the first part that the only pattern denotes, in which `*` is a name.
        case find
        /// Removes all parts that a pattern denotes.
        case remove
    }

    /// A token of a pattern.
    private struct Token {
        /// The range of its name in ``names``.
        var name: Range<Int>
        /// The index of an element; -1 if it is none.
        var index: Int
        var isWildcard: Bool
        /// Whether the name contains bytes that are always escaped in JSON.
        var isEscaped: Bool
        /// The last eight bytes of the opening quote and the name, and a mask of them if they are fewer.
        var ending: (bytes: UInt64, mask: UInt64)

        /// The maximum distance from the colon of a member whose name has so many bytes to a backslash in the name, in
        /// bytes.
        static func reachBytes(ofName bytes: Int) -> Int { 6 * bytes + 2 }
    }

    /// The patterns that enter a container, by the kind of their next token.
    private struct Plan {
        var active: UInt64 = 0
        var wildcards: UInt64 = 0
        /// Those for which the next token is the last one.
        var ends: UInt64 = 0
        /// Those for which the next token is a name or an index.
        var named: UInt64 = 0
        /// The distances from the opening quote of these names to the colon, as bits; none if all colons are visited.
        var distances: UInt64 = 0
        /// The lowest index.
        var firstIndex = Int.max

        /// Whether the patterns denote no member or element itself, and all enter each container in this one.
        var entersAll: Bool { named == 0 && wildcards & ends == 0 }

        /// The maximum number of distances. More of them cost more than the colons that they exclude.
        static let maxDistances = 4
    }

    /// An open container that patterns enter.
    private struct Level {
        var plan = Plan()
        var isArray = false
        /// The index of the current element.
        var index = 0
        /// The lowest index, from the current one, that a pattern has.
        var nextIndex = Int.max
    }

    /// The result of finding a part.
    struct Found {
        /// The part; `nil` if there is none.
        var range: Range<Int>?
        /// The number of tokens that lead to the last part on the way that exists.
        var tokens = 0
        /// The offset of that part, and what it is.
        var offset = 0
        var kind = PartNotFound.Parent.scalar
    }

    /// The memory that a scanner needs for a pattern, in bytes. While an array grows, its former elements need memory
    /// too.
    static func heapBytes(of pattern: PartPointer) -> Int {
        let token = MemoryLayout<Token>.stride + MemoryLayout<Level>.stride
        return 3 * pattern.tokens.reduce(0) { $0 + token + 2 * $1.name.count }
    }

    private let text: PartText
    private let purpose: Purpose

    private var tokens: [Token] = []
    private var names: [UInt8] = []
    /// The length of the longest name, in bytes.
    private var maxNameBytes = 0
    /// The maximum distance from a colon to a backslash in a name of this length.
    private var reachBytes = 0
    /// The beginning of the name of the current member without its escapes: one byte more than the longest name.
    private var spelledName: [UInt8] = []
    /// The index of the first token of each pattern, and that after the last one.
    private var starts: [Int] = [0]

    /// The levels, one for each token of the longest pattern. One that is not open has the plan that it had.
    private var levels: [Level] = []
    /// The number of open levels.
    private var depth = 0
    /// The patterns that enter the next container of the last level.
    private var child: UInt64
    /// The number of open containers in the last level that no pattern enters.
    private var skipped = 0

    /// The start and the value of the current member or element of the level, if it is a denoted part.
    private var part: (start: Int, value: Int)?

    private(set) var found = Found()

    /// Whether no pattern denotes anything in the rest of the text.
    private var hasNoMoreParts = false

    /// The number of parts that were removed.
    private(set) var removed = 0
    /// The length of the text that remains of what was read.
    private(set) var length = 0
    /// The offset after the last part that was removed.
    private var pending = 0

    private var strings = JSONStringBits()

    /// Creates a scanner that finds the part to which `pointer` leads.
    init(_ pointer: PartPointer, in text: PartText) {
        self.init(pointer.tokens.isEmpty ? [] : [pointer], droppingFirst: 0, in: text, to: .find)
        if text.count > 0 { found.kind = .init(at: text[0]) }
        if pointer.tokens.isEmpty { found.range = 0..<text.count }
    }

    /// Creates a scanner that removes the parts that patterns denote.
    /// - Parameters:
    ///   - patterns: At most ``ValueParts/maxPatterns`` patterns.
    ///   - base: The number of tokens of each pattern that lead to the value of the text. Each has more tokens.
    init(removing patterns: [PartPointer], droppingFirst base: Int, in text: PartText) {
        self.init(patterns, droppingFirst: base, in: text, to: .remove)
    }

    private init(_ patterns: [PartPointer], droppingFirst base: Int, in text: PartText, to purpose: Purpose) {
        self.text = text
        self.purpose = purpose
        for pattern in patterns {
            for token in pattern.tokens.dropFirst(base) {
                let start = names.count
                names += token.name
                maxNameBytes = max(maxNameBytes, token.name.count)
                let ending = token.name.suffix(8).reduce(token.name.count < 8 ? UInt64(UInt8(ascii: "\"")) : 0) {
                    $0 &<< 8 | UInt64($1)
                }
                tokens.append(
                    Token(
                        name: start..<names.count,
                        index: token.index ?? -1,
                        isWildcard: purpose == .remove && token.isWildcard,
                        isEscaped: !token.isPlain,
                        ending: (ending, token.name.count < 7 ? (1 &<< UInt64(8 * token.name.count + 8)) &- 1 : ~0)
                    )
                )
            }
            starts.append(tokens.count)
        }
        reachBytes = Token.reachBytes(ofName: maxNameBytes)
        child = patterns.count == 64 ? ~0 : (1 &<< UInt64(patterns.count)) &- 1
        let maxTokens = patterns.reduce(0) { max($0, $1.tokens.count - base) }
        levels = Array(repeating: Level(), count: maxTokens)
    }

    /// Reads the text.
    mutating func run() {
        var offset = 0
        while offset < text.count, !isDone {
            let block = text.block(at: offset)
            let outside = strings.outside(of: block)
            visit(block, at: offset, outside)
            offset += JSONBlock.bytes
        }
        // Valid JSON has no part whose end was not found. Nothing of one may remain.
        if part != nil { finishPart(at: text.count) }
        if purpose == .remove { keep(upTo: text.count) }
    }

    private var isDone: Bool { found.range != nil || hasNoMoreParts }

    // MARK: Positions

    /// Visits the brackets and, in the levels, the colons or commas of a block.
    @inline(__always) private mutating func visit(_ block: JSONBlock, at offset: Int, _ outside: UInt64) {
        let brackets = block.brackets & outside
        // The positions after the last one that was visited.
        var rest: UInt64 = ~0
        if skipped > 0 { rest = skip(brackets, at: offset) }
        while skipped == 0, !isDone {
            var stops = (brackets | separators(in: block) & outside) & rest
            // Most names are not searched, and change nothing.
            while stops != 0, text[offset + stops.trailingZeroBitCount] == UInt8(ascii: ":"),
                !beginsMember(before: offset + stops.trailingZeroBitCount)
            {
                stops &= stops &- 1
            }
            guard stops != 0 else { return }
            rest = Self.after(stops)
            visit(offset + stops.trailingZeroBitCount)
            if skipped > 0 { rest = skip(brackets & rest, at: offset) }
        }
    }

    /// Returns the colons or commas of a block that are visited in the last level. Those in strings are not excluded.
    @inline(__always) private func separators(in block: JSONBlock) -> UInt64 {
        guard part == nil else { return block.bits(of: UInt8(ascii: ",")) }
        guard depth > 0 else { return 0 }
        let level = levels[depth - 1]
        if level.plan.entersAll { return 0 }
        if level.isArray { return block.bits(of: UInt8(ascii: ",")) }
        let colons = block.bits(of: UInt8(ascii: ":"))
        // A name with escapes has another length.
        guard level.plan.distances != 0, strings.hasNoBackslash(within: reachBytes) else { return colons }
        var afterNames: UInt64 = 0
        var rest = level.plan.distances
        while rest != 0 {
            afterNames |= strings.quotes(movedBy: UInt64(rest.trailingZeroBitCount))
            rest &= rest &- 1
        }
        return colons & afterNames
    }

    /// Visits a bracket or comma, or a colon whose member has begun.
    @inline(__always) private mutating func visit(_ offset: Int) {
        switch text[offset] {
        case UInt8(ascii: ":"): break
        case UInt8(ascii: ","): visitComma(offset)
        case let bracket where bracket.isOpening:
            if child == 0 { skipped = 1 } else { enter(at: offset, isArray: bracket == UInt8(ascii: "[")) }
        default:
            if part != nil { finishPart(at: offset) }
            leave()
        }
    }

    /// Visits brackets until the containers that no pattern enters are closed.
    /// - Returns: The positions after the last one that was visited.
    @inline(__always) private mutating func skip(_ brackets: UInt64, at offset: Int) -> UInt64 {
        var open = skipped
        var brackets = brackets
        while brackets != 0 {
            open &+= text[offset + brackets.trailingZeroBitCount].isOpening ? 1 : -1
            if open == 0 { break }
            brackets &= brackets &- 1
        }
        skipped = open
        return open == 0 ? Self.after(brackets) : 0
    }

    /// Returns the positions after the first one of `positions`, of which there is at least one.
    @inline(__always) private static func after(_ positions: UInt64) -> UInt64 { ~(positions ^ (positions &- 1)) }

    private mutating func visitComma(_ offset: Int) {
        if part != nil { finishPart(at: offset) }
        guard levels[depth - 1].isArray else { return }
        levels[depth - 1].index += 1
        element(at: offset + 1)
    }

    // MARK: Members and elements

    /// Enters the container at `offset`, which the patterns of `child` enter.
    private mutating func enter(at offset: Int, isArray: Bool) {
        depth += 1
        if levels[depth - 1].plan.active != child { levels[depth - 1].plan = plan(for: child) }
        let plan = levels[depth - 1].plan
        if levels[depth - 1].isArray != isArray { levels[depth - 1].isArray = isArray }
        child = plan.entersAll ? plan.wildcards : 0
        guard isArray, !plan.entersAll else { return }
        levels[depth - 1].index = 0
        levels[depth - 1].nextIndex = plan.firstIndex
        if offset + 1 < text.count, text[offset + 1] == UInt8(ascii: "]") { return }
        element(at: offset + 1)
    }

    /// Leaves the last level.
    private mutating func leave() {
        depth -= 1
        child = depth > 0 && levels[depth - 1].plan.entersAll ? levels[depth - 1].plan.wildcards : 0
    }

    /// Begins the element at `start`.
    private mutating func element(at start: Int) {
        let level = levels[depth - 1]
        var matches = level.plan.wildcards
        if level.index == level.nextIndex {
            var next = Int.max
            var rest = level.plan.named
            while rest != 0 {
                let index = token(rest.trailingZeroBitCount).index
                if index == level.index {
                    matches |= rest & (0 &- rest)
                } else if index > level.index {
                    next = min(next, index)
                }
                rest &= rest &- 1
            }
            levels[depth - 1].nextIndex = next
        } else if matches == 0, level.nextIndex == .max {
            // No pattern denotes anything in the rest of the array.
            leave()
            hasNoMoreParts = depth == 0
            skipped = 1
            return
        }
        begin(matches, start, value: start)
    }

    /// Begins the member whose name ends before the colon at `offset` if a pattern denotes or enters it.
    /// - Returns: Whether one does.
    @inline(__always) private mutating func beginsMember(before offset: Int) -> Bool {
        var matches = levels[depth - 1].plan.wildcards
        var rest = levels[depth - 1].plan.named
        // The offset of the opening quote, if the name was compared.
        var start: Int?
        if strings.hasNoBackslash(within: reachBytes) {
            let ending = text.word(before: offset - 1)
            while rest != 0 {
                let token = token(rest.trailingZeroBitCount)
                if (ending ^ token.ending.bytes) & token.ending.mask == 0, isName(token, before: offset) {
                    matches |= rest & (0 &- rest)
                    start = offset - 2 - token.name.count
                }
                rest &= rest &- 1
            }
        } else {
            matches |= spelledMatches(of: rest, before: offset)
        }
        guard matches != 0 else { return false }
        let isPart = matches & levels[depth - 1].plan.ends != 0
        begin(matches, start ?? (isPart ? nameStart(before: offset) : offset), value: offset + 1)
        return true
    }

    /// Returns those of `patterns` whose name is the one that ends before the colon at `offset`, and may have escapes.
    @inline(never) private mutating func spelledMatches(of patterns: UInt64, before offset: Int) -> UInt64 {
        var matches: UInt64 = 0
        var rest = patterns
        if rest != 0 { readName(before: offset) }
        while rest != 0 {
            if isSpelledName(token(rest.trailingZeroBitCount)) { matches |= rest & (0 &- rest) }
            rest &= rest &- 1
        }
        return matches
    }

    /// Begins a member or element that `matches` denote or enter.
    private mutating func begin(_ matches: UInt64, _ start: Int, value: Int) {
        if purpose == .find, matches != 0, depth > found.tokens {
            found.tokens = depth
            found.offset = value
            found.kind = .init(at: text[value])
        }
        let isPart = matches & levels[depth - 1].plan.ends != 0
        if isPart { part = (start, value) }
        // The name after a scalar may not be visited.
        let enters = !isPart && matches != 0 && value < text.count && text[value].opensContainer
        child = enters ? matches : 0
    }

    /// Finishes the part that ends before `end`.
    private mutating func finishPart(at end: Int) {
        guard let (start, value) = part else { return }
        part = nil
        switch purpose {
        case .find: found.range = value..<end
        case .remove:
            removed += 1
            // A comma remains between two members or elements that remain. Nothing remains before this one in its
            // container if it is the first one, or if the last one was removed with the comma that followed it.
            let isFirst = start == pending || text[start - 1].opensContainer
            if !isFirst {
                keep(upTo: start - 1)
                pending = end
            } else {
                keep(upTo: start)
                let hasComma = end < text.count && text[end] == UInt8(ascii: ",")
                pending = hasComma ? end + 1 : end
            }
        }
    }

    /// Moves what precedes `end`, and was not removed, to the text that remains.
    private mutating func keep(upTo end: Int) {
        if length < pending { text.move(pending..<end, to: length) }
        length += end - pending
        pending = end
    }

    // MARK: Patterns

    /// Returns the plan for the patterns that enter the last level.
    @inline(never) private func plan(for active: UInt64) -> Plan {
        var plan = Plan(active: active)
        var rest = active
        var hasDistances = true
        while rest != 0 {
            let bit = rest & (0 &- rest)
            let pattern = rest.trailingZeroBitCount
            let token = token(pattern)
            if token.isWildcard {
                plan.wildcards |= bit
            } else {
                plan.named |= bit
                if token.index >= 0 { plan.firstIndex = min(plan.firstIndex, token.index) }
                let distance = token.name.count + 2
                if distance < 64 { plan.distances |= 1 &<< UInt64(distance) }
                if distance >= 64 || token.isEscaped { hasDistances = false }
            }
            if starts[pattern] + depth == starts[pattern + 1] { plan.ends |= bit }
            rest ^= bit
        }
        if !hasDistances || plan.wildcards != 0 || plan.distances.nonzeroBitCount > Plan.maxDistances {
            plan.distances = 0
        }
        return plan
    }

    /// The token of a pattern for the members or elements of the last level.
    @inline(__always) private func token(_ pattern: Int) -> Token { tokens[starts[pattern] + depth - 1] }

    /// Returns whether the name that ends before the colon at `offset`, without escapes, is that of `token`.
    @inline(__always) private func isName(_ token: Token, before offset: Int) -> Bool {
        let start = offset - 2 - token.name.count
        guard !token.isEscaped, start > 0, text[start] == UInt8(ascii: "\""), !text[start - 1].isOpeningOfValue else {
            return false
        }
        return names.span.slice(token.name) { text.has($0, at: start + 1) } ?? false
    }

    /// Reads the name that ends before the colon at `offset`, and may have escapes, once for all patterns.
    @inline(never) private mutating func readName(before offset: Int) {
        spelledName.removeAll(keepingCapacity: true)
        let range = nameStart(before: offset) + 1..<offset - 1
        let text = text
        text.withBytes(range) { $0.appendSpelled(to: &spelledName, upTo: maxNameBytes + 1) }
    }

    /// Returns whether the name that was read is that of `token`.
    private func isSpelledName(_ token: Token) -> Bool {
        names.span.slice(token.name) { spelledName.span.equals($0) } ?? false
    }

    /// Returns the offset of the opening quote of the name that ends before the colon at `offset`.
    private func nameStart(before offset: Int) -> Int {
        var start = offset - 2
        // A quote in a name is preceded by a backslash, and the one that opens it is not.
        while start > 0, text[start] != UInt8(ascii: "\"") || text[start - 1] == UInt8(ascii: "\\") { start -= 1 }
        return max(start, 0)
    }
}

extension PartNotFound.Parent {
    /// The kind of the value that begins with `byte`.
    fileprivate init(at byte: UInt8) {
        switch byte {
        case UInt8(ascii: "{"): self = .object
        case UInt8(ascii: "["): self = .array
        default: self = .scalar
        }
    }
}

extension UInt8 {
    /// Whether one of the four brackets opens a container.
    @inline(__always) fileprivate var isOpening: Bool { self & 0x02 != 0 }

    /// Whether a value that begins with this byte is a container.
    @inline(__always) fileprivate var opensContainer: Bool { self == UInt8(ascii: "{") || self == UInt8(ascii: "[") }

    /// Whether a quote after this byte cannot open a name.
    @inline(__always) fileprivate var isOpeningOfValue: Bool { self != UInt8(ascii: "{") && self != UInt8(ascii: ",") }
}

extension Span<UInt8> {
    /// Appends the value of the JSON string of which this is the text between the quotes, to an empty array.
    /// - Parameter max: The number of bytes after which the rest is omitted. The last character remains whole.
    fileprivate func appendSpelled(to value: inout [UInt8], upTo max: Int) {
        // Most names have no escapes.
        var index = firstOffset(of: UInt8(ascii: "\\"), in: 0..<count) ?? count
        value.append(self, 0..<Swift.min(index, max))
        while index < count, value.count < max {
            if self[index] == UInt8(ascii: "\\") {
                value += JSONString.scalar(ofEscapeAt: &index, in: self).utf8
            } else {
                value.append(self[index])
                index += 1
            }
        }
    }
}
