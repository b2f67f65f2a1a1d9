// The text format: OpenStep's strings, data, arrays and dictionaries, GNUstep's typed values, and `.strings` files,
// which are the members of one dictionary without its braces.
//
//     { name = "a \U00e9"; list = (1, two,); raw = <0fbd 77>; n = <*I42>; }    /* and comments */
//
// Every value without a GNUstep type is a string: `1` above is the text "1". Ambiguities of the format, and how we
// resolve them (as CoreFoundation's CFOldStylePList.c does, if it covers them):
// · Strings without quotes consist of ASCII letters, digits and `!#$%&*+-./:?@|~_^` (GNUstep's set).
// · Octal escapes are in the NeXTSTEP encoding; `\U` takes one to four hexadecimal digits. Surrogate pairs are two
//   escapes.
// · `key;` in a dictionary means `key = key;`. The last `;` and a comma before `)` are optional.
// · The text is UTF-16 or UTF-32 if its bytes show that, UTF-8 if it is valid, or else in its declared charset.

/// Reads the text format into a graph. The builder has the stack of open arrays and dictionaries.
struct TextPropertyList: ~Copyable {
    private let options: PropertyListReader.Options
    private var builder: PropertyListBuilder
    private var offset = 0
    /// Whether a value has ended, so that a separator or the end of the container must follow.
    private var isAfterValue = false
    /// Whether the outermost dictionary has no braces.
    private var hasNoBraces = false
    /// The offsets of the accepted lone surrogates.
    private(set) var loneSurrogates: [Int] = []

    /// - Parameter contentBytes: The length of the text.
    init(options: PropertyListReader.Options, contentBytes: Int) {
        self.options = options
        builder = PropertyListBuilder(limits: options.limits, contentBytes: contentBytes, memory: options.memory)
    }

    consuming func finish() -> (graph: PropertyListGraph, bytes: [UInt8]) { builder.finish() }

    /// ``PropertyListBuilder/rounded``.
    var rounded: [PropertyListReader.Note] { builder.rounded }

    mutating func read(_ text: Span<UInt8>) throws(PropertyListFault) {
        do {
            _ = try UTF8Span(validating: text)
        } catch { throw PropertyListFault(.invalidEncoding("utf-8"), at: error.byteOffsets.lowerBound) }
        try skip(text)
        guard offset < text.count else { throw PropertyListFault(.notAPropertyList, at: 0) }
        let start = offset
        let isString = text[start].beginsString
        try value(text)
        try contents(text)
        try skip(text)
        guard offset < text.count else { return }
        guard isString, text[offset] == UInt8(ascii: "=") || text[offset] == UInt8(ascii: ";") else {
            throw PropertyListFault(.trailingContent, at: offset)
        }
        builder = PropertyListBuilder(limits: options.limits, contentBytes: text.count, memory: options.memory)
        loneSurrogates = []
        offset = start
        hasNoBraces = true
        try builder.open(.dictionary, at: start)
        isAfterValue = false
        try contents(text)
        guard offset == text.count else { throw PropertyListFault(.trailingContent, at: offset) }
    }

    // MARK: Containers

    /// Reads until all containers are closed.
    private mutating func contents(_ text: Span<UInt8>) throws(PropertyListFault) {
        while let container = builder.container {
            try skip(text)
            if container == .dictionary {
                try member(text)
            } else {
                try element(text)
            }
        }
    }

    private mutating func element(_ text: Span<UInt8>) throws(PropertyListFault) {
        guard offset < text.count else { throw end(["','", "')'"]) }
        switch text[offset] {
        case UInt8(ascii: ")"): try close()
        case UInt8(ascii: ",") where isAfterValue:
            offset += 1
            isAfterValue = false
        default:
            if isAfterValue { throw unexpected(["','", "')'"]) }
            try value(text)
        }
    }

    private mutating func member(_ text: Span<UInt8>) throws(PropertyListFault) {
        guard offset < text.count else {
            guard hasNoBraces, builder.isAtTop, !builder.needsValue else { throw end(["'}'"]) }
            return try close()
        }
        let byte = text[offset]
        if builder.needsValue {
            switch byte {
            case UInt8(ascii: "="):
                offset += 1
                try skip(text)
                try value(text)
            case UInt8(ascii: ";"):
                builder.addKeyAsValue()
                isAfterValue = true
            default: throw unexpected(["'='", "';'"])
            }
        } else if byte == UInt8(ascii: "}"), !(hasNoBraces && builder.isAtTop) {
            try close()
        } else if isAfterValue {
            guard byte == UInt8(ascii: ";") else { throw unexpected(["';'"]) }
            offset += 1
            isAfterValue = false
        } else {
            guard byte.beginsString else {
                if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "{") || byte == UInt8(ascii: "<") {
                    throw builder.fault(.invalidKey, at: offset)
                }
                throw unexpected(["a key", "'}'"])
            }
            try string(text)
        }
    }

    private mutating func close() throws(PropertyListFault) {
        // A dictionary without braces ends with the text.
        if !(hasNoBraces && builder.isAtTop) { offset += 1 }
        try builder.close()
        isAfterValue = true
    }

    // MARK: Values

    private mutating func value(_ text: Span<UInt8>) throws(PropertyListFault) {
        guard offset < text.count else { throw end(["a value"]) }
        isAfterValue = false
        switch text[offset] {
        case UInt8(ascii: "("):
            try builder.open(.array, at: offset)
            offset += 1
        case UInt8(ascii: "{"):
            try builder.open(.dictionary, at: offset)
            offset += 1
        case UInt8(ascii: "<"):
            try data(text)
            isAfterValue = true
        case let byte where byte.beginsString:
            try string(text)
            isAfterValue = true
        default: throw unexpected(["a value"])
        }
    }

    private mutating func data(_ text: Span<UInt8>) throws(PropertyListFault) {
        let start = offset
        var close = offset + 1
        while close < text.count, text[close] != UInt8(ascii: ">") { close += 1 }
        guard close < text.count else {
            offset = close
            throw end(["'>'"])
        }
        let inner = text.extracting(first: close).extracting(droppingFirst: start + 1)
        offset = close + 1
        if inner.count >= 2, inner[0] == UInt8(ascii: "*") {
            return try typed(inner[1], inner.extracting(droppingFirst: 2), at: start)
        }
        let isBase64 = inner.count >= 2 && inner[0] == UInt8(ascii: "[") && inner[inner.count - 1] == UInt8(ascii: "]")
        try builder.add(.data, at: start, or: .invalidData) { bytes in
            isBase64
                ? Base64.appendForgiving(inner.extracting(droppingFirst: 1).extracting(droppingLast: 1), to: &bytes)
                : Hexadecimal.append(inner, ignoring: { $0.isJSONWhiteSpace }, to: &bytes)
        }
    }

    /// Reads a typed value of GNUstep: `<*I…>`, `<*R…>`, `<*B…>` or `<*D…>`.
    private mutating func typed(_ type: UInt8, _ text: Span<UInt8>, at start: Int) throws(PropertyListFault) {
        let maxNumberBytes = options.limits.maxNumberBytes
        switch type {
        case UInt8(ascii: "I"):
            guard text.count <= maxNumberBytes else {
                throw builder.fault(.numberTooLong(max: maxNumberBytes), at: start)
            }
            try builder.add(.integerText, at: start, or: .invalidNumber) { bytes in
                PropertyListScalarText.integer(text, into: &bytes)
            }
        case UInt8(ascii: "R"):
            guard text.count <= maxNumberBytes else {
                throw builder.fault(.numberTooLong(max: maxNumberBytes), at: start)
            }
            try builder.addReal(text, at: start)
        case UInt8(ascii: "B"):
            let isTrue = text.hasText("Y", at: 0)
            let isBoolean = isTrue || text.hasText("N", at: 0)
            guard isBoolean, text.count == 1 else {
                offset = start + (isBoolean ? 4 : 3)
                throw unexpected(isBoolean ? ["'>'"] : ["Y", "N"])
            }
            try builder.add(isTrue ? .true : .false, at: start)
        case UInt8(ascii: "D"):
            guard let date = PropertyListScalarText.date(text) else { throw builder.fault(.invalidDate, at: start) }
            try builder.add(.dateText, at: start) { $0.append(contentsOf: date.utf8) }
        default:
            offset = start + 2
            throw unexpected(["I", "R", "B", "D"])
        }
    }

    // MARK: Strings

    private mutating func string(_ text: Span<UInt8>) throws(PropertyListFault) {
        let start = offset
        let quote = text[start]
        guard quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") else {
            while offset < text.count, text[offset].standsWithoutQuotes { offset += 1 }
            let end = offset
            return try builder.add(.utf8, at: start) { $0.append(text, start..<end) }
        }
        offset += 1
        // Nothing else of the builder can be used while its bytes are borrowed. Text with escapes, which is rare, is
        // therefore first created here.
        var end = offset
        while end < text.count, text[end] != quote, text[end] != UInt8(ascii: "\\") { end += 1 }
        let plain = text.extracting(first: end).extracting(droppingFirst: offset)
        offset = end
        var rest: [UInt8] = []
        while offset < text.count, text[offset] != quote {
            if text[offset] == UInt8(ascii: "\\") {
                try escape(text, into: &rest)
            } else {
                rest.append(text[offset])
                offset += 1
            }
        }
        guard offset < text.count else { throw self.end([quote == UInt8(ascii: "'") ? "'''" : "'\"'"]) }
        offset += 1
        try builder.add(.utf8, at: start) { bytes in
            bytes.append(plain)
            bytes += rest
        }
    }

    /// Reads an escape sequence.
    private mutating func escape(_ text: Span<UInt8>, into string: inout [UInt8]) throws(PropertyListFault) {
        let start = offset
        offset += 1
        guard offset < text.count else { throw end(["an escape"]) }
        let byte = text[offset]
        offset += 1
        switch byte {
        case UInt8(ascii: "a"): string.append(0x07)
        case UInt8(ascii: "b"): string.append(0x08)
        case UInt8(ascii: "f"): string.append(0x0C)
        case UInt8(ascii: "n"): string.append(0x0A)
        case UInt8(ascii: "r"): string.append(0x0D)
        case UInt8(ascii: "t"): string.append(0x09)
        case UInt8(ascii: "v"): string.append(0x0B)
        case UInt8(ascii: "U"), UInt8(ascii: "u"): try unicode(text, from: start, into: &string)
        case UInt8(ascii: "0")...UInt8(ascii: "7"):
            var code = Int(byte - UInt8(ascii: "0"))
            for _ in 0..<2 where offset < text.count {
                guard UInt8(ascii: "0")...UInt8(ascii: "7") ~= text[offset] else { break }
                code = code << 3 | Int(text[offset] - UInt8(ascii: "0"))
                offset += 1
            }
            guard let octet = UInt8(exactly: code) else { throw builder.fault(.invalidEscape, at: start) }
            string.append(contentsOf: String(NeXTSTEPEncoding.scalar(octet)).utf8)
        default:
            // Any other character represents itself. The remaining bytes of a non-ASCII character follow.
            string.append(byte)
        }
    }

    private mutating func unicode(
        _ text: Span<UInt8>,
        from start: Int,
        into string: inout [UInt8]
    ) throws(PropertyListFault) {
        guard var code = hexadecimal(text) else { throw builder.fault(.invalidEscape, at: start) }
        if (code & 0xFC00) == 0xD800, offset + 1 < text.count, text[offset] == UInt8(ascii: "\\"),
            text[offset + 1] | 0x20 == UInt8(ascii: "u")
        {
            let afterFirst = offset
            offset += 2
            if let low = hexadecimal(text), (low & 0xFC00) == 0xDC00 {
                code = 0x10000 + ((code & 0x3FF) << 10) + (low & 0x3FF)
            } else {
                offset = afterFirst
            }
        }
        if let scalar = Unicode.Scalar(code) {
            string.append(contentsOf: String(scalar).utf8)
            return
        }
        switch options.surrogates {
        case .reject: throw builder.fault(.loneSurrogate, at: start)
        case .replace:
            if loneSurrogates.count <= options.limits.maxWarnings { loneSurrogates.append(start) }
            string.append(contentsOf: "\u{FFFD}".utf8)
        }
    }

    /// Reads one to four hexadecimal digits.
    private mutating func hexadecimal(_ text: Span<UInt8>) -> UInt32? {
        var code: UInt32?
        for _ in 0..<4 where offset < text.count {
            guard let digit = text[offset].hexDigit else { break }
            code = (code ?? 0) << 4 | UInt32(digit)
            offset += 1
        }
        return code
    }

    // MARK: Between the tokens

    /// Skips white space and comments.
    private mutating func skip(_ text: Span<UInt8>) throws(PropertyListFault) {
        while offset < text.count {
            let byte = text[offset]
            if byte.isJSONWhiteSpace || byte == 0x0B || byte == 0x0C {
                offset += 1
            } else if text.holdsLineSeparator(at: offset) {
                offset += 3
            } else if byte == UInt8(ascii: "/"), offset + 1 < text.count, text[offset + 1] == UInt8(ascii: "/") {
                while offset < text.count, text[offset] != 0x0A, text[offset] != 0x0D { offset += 1 }
            } else if byte == UInt8(ascii: "/"), offset + 1 < text.count, text[offset + 1] == UInt8(ascii: "*") {
                var end = offset + 2
                while end + 1 < text.count, text[end] != UInt8(ascii: "*") || text[end + 1] != UInt8(ascii: "/") {
                    end += 1
                }
                guard end + 1 < text.count else {
                    offset = text.count
                    throw self.end(["'*/'"])
                }
                offset = end + 2
            } else {
                return
            }
        }
    }

    private func unexpected(_ expected: [String]) -> PropertyListFault {
        builder.fault(.unexpectedCharacter(expected: expected), at: offset)
    }

    private func end(_ expected: [String]) -> PropertyListFault {
        builder.fault(.unexpectedEnd(expected: expected), at: offset)
    }
}

extension UInt8 {
    fileprivate var standsWithoutQuotes: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "!#$%&*+-./:?@|~_^".utf8.contains(self)
        }
    }

    fileprivate var beginsString: Bool {
        self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") || standsWithoutQuotes
    }
}

extension Span<UInt8> {
    /// Returns whether U+2028 or U+2029 is at `index`.
    fileprivate func holdsLineSeparator(at index: Int) -> Bool {
        index + 3 <= count && self[index] == 0xE2 && self[index + 1] == 0x80 && (self[index + 2] & 0xFE) == 0xA8
    }
}
