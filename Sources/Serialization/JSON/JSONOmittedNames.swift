/// Patterns of members that the kernel leaves out of the value while it writes it. The last token of each is a name,
/// and the others are names or stand for every member or element.
///
/// Each open container has a set of patterns that enter it, one bit per pattern, as in `PartScanner`.
struct JSONOmittedNames {
    /// The tokens of the patterns at a depth.
    struct Step {
        /// Those that stand for every member or element.
        fileprivate(set) var wildcards: UInt64 = 0
        /// Those that are names.
        fileprivate(set) var named: UInt64 = 0
        /// Those that are the last token.
        fileprivate(set) var ends: UInt64 = 0
        /// One bit per name, selected by the lowest bits of its hash.
        fileprivate(set) var nameBits: UInt64 = 0
        /// The patterns that enter the open container at this depth.
        fileprivate(set) var entered: UInt64 = 0

        /// Whether a pattern may have a name with this hash here.
        @inline(__always) func mayName(_ hash: UInt32) -> Bool { nameBits &>> UInt64(hash) & 1 != 0 }

        fileprivate mutating func add(_ token: PartPointer.Token, _ pattern: UInt64) {
            guard !token.isWildcard else {
                wildcards |= pattern
                return
            }
            named |= pattern
            nameBits |= 1 &<< UInt64(token.hash)
        }
    }

    /// The maximum number of tokens of all patterns together, and of the bytes of their names, so that they need little
    /// memory and time. The names of a selected part are in each pattern.
    private static let maxTokens = 256
    private static let maxNameBytes = 4 << 10

    fileprivate let patterns: [PartPointer]

    /// Returns `nil` if there are no patterns, or if some have other tokens, which only `PartScanner` compares.
    init?(_ patterns: [PartPointer]) {
        var (tokens, bytes) = (0, 0)
        for pattern in patterns {
            guard pattern.tokens.last?.isWildcard == false else { return nil }
            for token in pattern.tokens {
                guard token.index == nil else { return nil }
                bytes += token.name.count
            }
            tokens += pattern.tokens.count
        }
        guard 1...ValueParts.maxPatterns ~= patterns.count, tokens <= Self.maxTokens, bytes <= Self.maxNameBytes else {
            return nil
        }
        self.patterns = patterns
    }
}

extension JSONLevels {
    /// The patterns of members that are left out, and those of them that enter the open containers.
    @safe struct Omissions: ~Copyable {
        private let patterns: [PartPointer]
        /// The tokens at each depth, at least one. Memory of its own, because checks and reference counts of an array
        /// would be repeated for each container.
        private let steps: UnsafeMutableBufferPointer<JSONOmittedNames.Step>
        /// The number of tokens that lead to a value.
        private let outerDepth: Int

        init(_ names: JSONOmittedNames, inRecords: Bool) {
            patterns = names.patterns
            outerDepth = inRecords ? 1 : 0
            unsafe steps = .allocate(capacity: patterns.reduce(1) { max($0, $1.tokens.count) })
            unsafe steps.initialize(repeating: JSONOmittedNames.Step())
            var bit: UInt64 = 1
            for pattern in patterns {
                for depth in 0..<pattern.tokens.count { unsafe steps[depth].add(pattern.tokens[depth], bit) }
                unsafe steps[pattern.tokens.count - 1].ends |= bit
                bit &<<= 1
            }
        }

        deinit { unsafe steps.deallocate() }

        /// Returns the tokens that denote members of an open container in which ``enter(level:of:in:)`` has found some.
        /// - Parameter level: The number of containers around it.
        @inline(__always) func step(level: Int) -> JSONOmittedNames.Step { unsafe steps[level &+ outerDepth] }

        /// Notes which patterns enter a container.
        /// - Parameters:
        ///   - level: The number of containers around it.
        ///   - member: The hash and the offset of the opening quote of the name of which it is the value, if it is the
        ///     value of a member.
        /// - Returns: Whether some patterns denote members of it, if it is an object.
        @inline(__always) mutating func enter(
            level: Int,
            of member: (hash: UInt32, quote: Int)?,
            in source: JSONSource
        ) -> Bool {
            let depth = level &+ outerDepth
            guard unsafe depth < steps.count else { return false }
            var entered: UInt64 = ~0
            if depth > 0 {
                let outer = unsafe steps[depth &- 1]
                let around = level == 0 ? entered : outer.entered
                entered = around & outer.wildcards
                if let member, outer.mayName(member.hash), around & outer.named != 0 {
                    let denoting = named(around & outer.named, at: depth &- 1, member.hash, member.quote, in: source)
                    // Nothing is left out of a member that is itself left out.
                    entered = denoting & outer.ends == 0 ? entered | denoting : 0
                }
            }
            unsafe steps[depth].entered = entered
            return unsafe entered & steps[depth].ends != 0
        }

        /// Returns whether a pattern denotes a member of an open container.
        /// - Parameters:
        ///   - quote: The offset of the opening quote of its name.
        ///   - level: The number of containers around the container.
        @inline(never) func denoteMember(_ hash: UInt32, _ quote: Int, level: Int, in source: JSONSource) -> Bool {
            let step = step(level: level)
            return named(step.entered & step.ends, at: level &+ outerDepth, hash, quote, in: source) != 0
        }

        /// Returns those of some patterns that have the name at a depth.
        @inline(never) private func named(
            _ some: UInt64,
            at depth: Int,
            _ hash: UInt32,
            _ quote: Int,
            in source: JSONSource
        ) -> UInt64 {
            var (rest, named): (UInt64, UInt64) = (some, 0)
            while rest != 0 {
                let pattern = rest.trailingZeroBitCount
                if patterns[pattern].tokens[depth].hash == hash,
                    source.isName(at: quote, equalTo: patterns[pattern].tokens[depth])
                {
                    named |= rest & (0 &- rest)
                }
                rest &= rest &- 1
            }
            return named
        }
    }
}

extension JSONSource {
    /// Returns whether the name whose opening quote is at `quote` is that of a token.
    fileprivate func isName(at quote: Int, equalTo token: PartPointer.Token) -> Bool {
        let start = quote &+ 1
        let end = start &+ token.name.count
        if token.isPlain, end < count, self[end] == UInt8(ascii: "\""),
            withBytes(start..<end, { $0.equals(token.name.span) })
        {
            return true
        }
        let name = withBytes(0..<count) { JSONStringToken(at: quote, in: $0) }
        return name.hasEscapes && withBytes(name.range) { JSONString.unescape($0) } == token.name
    }
}
