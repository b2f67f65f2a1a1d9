// Tests/Fuzz/build compiles this file with the fuzz target of CacheControl.

/// A simple reader of `Cache-Control` that shares no code with the parser: it divides a line into pieces first, and
/// then looks at the pieces around each name.
struct ModelCacheControl: Equatable {
    private enum Piece: Equatable {
        case word([UInt8])
        /// A quoted string, without its quotation marks.
        case string([UInt8])
        case blank
        case other(UInt8)
    }

    /// The numbers of directives, by name. A missing or malformed one is `nil`.
    private(set) var numbers: [String: [Int?]] = [:]
    /// The names of all directives.
    private(set) var names: Set<String> = []
    private(set) var noCache = false
    private(set) var noCacheFields: [String] = []

    mutating func read(_ line: [UInt8]) {
        let pieces = Self.pieces(of: line)
        var index = 0
        while index < pieces.count {
            guard case .word(let word) = pieces[index] else {
                index += 1
                continue
            }
            let name = String(decoding: word, as: UTF8.self).lowercased()
            index += 1
            var end = index
            while end < pieces.count, pieces[end] == .blank { end += 1 }
            var argument: Piece?
            var isMalformed = false
            if end < pieces.count, pieces[end] == .other(0x3D) {
                isMalformed = end != index
                end += 1
                if end < pieces.count, pieces[end] == .blank { isMalformed = true }
                while end < pieces.count, pieces[end] == .blank { end += 1 }
                argument = .word([])
                if end < pieces.count {
                    switch pieces[end] {
                    case .word, .string:
                        argument = pieces[end]
                        end += 1
                    case .blank, .other: break
                    }
                }
                while end < pieces.count, pieces[end] == .blank { end += 1 }
            }
            if end < pieces.count, pieces[end] != .other(0x2C) { isMalformed = true }
            index = end
            add(name, argument, isMalformed: isMalformed)
        }
    }

    private mutating func add(_ name: String, _ argument: Piece?, isMalformed: Bool) {
        names.insert(name)
        var number: Int?
        var fields: [String]?
        if !isMalformed {
            switch argument {
            case .word(let text): number = Self.number(text)
            case .string(let text):
                number = Self.number(text)
                fields = Self.fieldNames(text)
            default: break
            }
        }
        if name == "max-stale", argument == nil, !isMalformed { number = 1 << 31 }
        numbers[name, default: []].append(number)
        guard name == "no-cache" else { return }
        if let fields { noCacheFields += fields } else { noCache = true }
    }

    private static func number(_ text: [UInt8]) -> Int? {
        guard !text.isEmpty, text.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let digits = text.drop { $0 == 0x30 }
        guard digits.count <= 10 else { return 1 << 31 }
        return min(digits.reduce(0) { $0 * 10 + Int($1) - 0x30 }, 1 << 31)
    }

    private static func fieldNames(_ text: [UInt8]) -> [String]? {
        var names: [String] = []
        for element in text.split(separator: 0x2C) {
            let text = Array(element.drop { isBlank($0) }.reversed().drop { isBlank($0) }.reversed())
            if text.isEmpty { continue }
            guard text.allSatisfy(isWord) else { return nil }
            names.append(String(decoding: text, as: UTF8.self).lowercased())
        }
        return names.isEmpty ? nil : names
    }

    private static func pieces(of line: [UInt8]) -> [Piece] {
        var pieces: [Piece] = []
        var rest = line[...]
        var mayBeQuoted = true
        while let byte = rest.first {
            if isWord(byte) {
                let word = rest.prefix { isWord($0) }
                pieces.append(.word(Array(word)))
                rest = rest.dropFirst(word.count)
            } else if isBlank(byte) {
                pieces.append(.blank)
                rest = rest.drop { isBlank($0) }
            } else if byte == 0x22, mayBeQuoted {
                var text: [UInt8] = []
                var tail = rest.dropFirst()
                while let next = tail.first, next != 0x22 {
                    text += tail.prefix(next == 0x5C ? 2 : 1)
                    tail = tail.dropFirst(next == 0x5C ? 2 : 1)
                }
                if tail.isEmpty {
                    mayBeQuoted = false
                } else {
                    pieces.append(.string(text))
                    rest = tail.dropFirst()
                }
            } else {
                pieces.append(.other(byte))
                rest = rest.dropFirst()
            }
        }
        return pieces
    }

    private static func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }

    private static func isWord(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}
