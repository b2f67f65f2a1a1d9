// The kernel: one pass over the text, from the first byte to the last, writing as it reads.
//
// There is no tree and no token list. Two indices move forward, `i` in the source and `o` in the sink, and everything
// before them has been checked against RFC 8259 and written minified. What is removed is removed by moving `o` back:
//
//      source   { "a" : 1 , "b" : null , "c" : 2 }
//                                    ^ a null: `o` returns to where member "b" began, its comma included
//      sink     {"a":1,"b":
//               {"a":1          and the next member brings its own comma: {"a":1,"c":2}
//
// Commas are written by the member or element that follows one, never by the one before. Open containers are a stack
// of levels, which also knows the names of each open object (`JSONLevels`), so nothing recurses. Strings and numbers
// are copied by the same loads that check them (`JSONCopier`); their text is never changed.
//
// The loose ends of RFC 8259 and what is done here: duplicate names (§4) are the levels' matter; nesting goes to a
// limit (§9); numbers of any size and precision stay as written (§6); lone surrogate escapes (§8.2) are refused.

/// Normalizes one value of a strict UTF-8 text.
struct JSONKernel {
    let source: JSONSource
    let sink: JSONSink
    let options: JSONReader.Options

    struct Output: Equatable {
        /// Bytes written to the sink.
        var count: Int
        /// Where the value ends in the source.
        var end: Int
        var nullsDropped: Int
    }

    /// Reads the value that begins at `start`, or after the white space there, and stops at its end.
    /// - Parameter levels: no container open; afterwards it knows the duplicates that were found.
    func run(from start: Int = 0, _ levels: inout JSONLevels) throws(JSONFault) -> Output {
        // Locals, so that they live in registers: a store through the sink could otherwise change any of them.
        let source = source
        let sink = sink
        let text = JSONCopier(source: source, sink: sink, maxNumberBytes: options.limits.maxNumberBytes)
        let maxDepth = min(options.limits.maxNestingDepth, Limits.hardMaxNestingDepth)
        let maxKeyBytes = options.limits.maxKeyBytes
        let dropsNullMembers = options.nulls != .keep
        let dropsNullElements = options.nulls == .dropAll
        let findsDuplicates = options.duplicates != .keep

        var i = start
        var o = 0
        var depth = 0
        var nullsDropped = 0
        var isObject = false  // what the innermost open container is
        var comma = 0  // 1 once that container has something in the sink
        var begin = 0  // where its current member or element began in the sink
        var commaAtBegin = 0  // and whether a comma stood before it

        text.skipWhiteSpace(&i)
        if !options.fragments, i < source.count {
            switch source[i] {
            case UInt8(ascii: "\""), UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "t"), UInt8(ascii: "f"), UInt8(ascii: "n"):
                throw JSONFault(.topLevelScalar, at: i)
            default: break
            }
        }

        values: while true {
            // Before the value: its comma, its name.
            if depth > 0 {
                begin = o
                commaAtBegin = comma
                sink.put(UInt8(ascii: ","), at: o)
                o &+= comma
                comma = 1
            }
            if isObject {
                guard i < source.count, source[i] == UInt8(ascii: "\"") else { throw JSONFault(.expectedName, at: i) }
                let quote = i
                let known =
                    findsDuplicates && i &+ Shapes.maxGuessBytes <= source.count
                    ? levels.addExpected(at: i, outputStart: begin) : 0
                if known > 0 {
                    text.copyKnown(known, &i, &o)
                } else {
                    let hasEscapes = try text.copyString(&i, &o)
                    if i &- quote &- 2 > maxKeyBytes { throw JSONFault(.keyTooLong, at: quote) }
                    if findsDuplicates {
                        try levels.add((quote &+ 1)..<(i &- 1), hasEscapes: hasEscapes, outputStart: begin)
                    }
                }
                guard text.finds(UInt8(ascii: ":"), &i) else { throw JSONFault(.expectedColon, at: i) }
                sink.put(UInt8(ascii: ":"), at: o)
                i &+= 1
                o &+= 1
                text.skipWhiteSpaceAfterColon(&i)
            }

            // The value. A container that is not empty goes round again for its first member or element.
            guard i < source.count else { throw JSONFault(.expectedValue, at: i) }
            let first = source[i]
            switch first {
            case UInt8(ascii: "\""):
                try text.copyString(&i, &o)

            case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                try text.copyNumber(&i, &o)

            case UInt8(ascii: "{"), UInt8(ascii: "["):
                if depth == maxDepth { throw JSONFault(.nestingTooDeep, at: i) }
                sink.put(first, at: o)
                i &+= 1
                o &+= 1
                depth &+= 1
                isObject = first == UInt8(ascii: "{")
                levels.open(isObject: isObject)
                levels.withIndentation { text.skipIndentation(&i, guess: &$0) }
                // '}' and ']' follow their opening bracket by two in ASCII.
                if i < source.count, source[i] == first &+ 2 { break }
                comma = 0
                continue values

            case UInt8(ascii: "t"):
                try text.copyLiteral(JSONCopier.trueWord, &i, &o)

            case UInt8(ascii: "f"):
                try text.copyFalse(&i, &o)

            case UInt8(ascii: "n"):
                try text.copyLiteral(JSONCopier.nullWord, &i, &o)
                if depth > 0, isObject ? dropsNullMembers : dropsNullElements {
                    o = begin
                    comma = commaAtBegin
                    nullsDropped &+= 1
                }

            default:
                throw JSONFault(.expectedValue, at: i)
            }

            // After the value: a comma and the next one, or the end of one container or several.
            while true {
                if depth == 0 { return Output(count: o, end: i, nullsDropped: nullsDropped) }
                var isComma = i < source.count && source[i] == UInt8(ascii: ",")
                if !isComma {
                    levels.withOuterIndentation { text.skipIndentation(&i, guess: &$0) }
                    isComma = i < source.count && source[i] == UInt8(ascii: ",")
                }
                if isComma {
                    i &+= 1
                    levels.withIndentation { text.skipIndentation(&i, guess: &$0) }
                    continue values
                }
                let next = isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")
                guard i < source.count, source[i] == next else {
                    throw JSONFault(isObject ? .expectedCommaOrEndOfObject : .expectedCommaOrEndOfArray, at: i)
                }
                if isObject { o = levels.finishObject(end: o) }
                sink.put(next, at: o)
                i &+= 1
                o &+= 1
                depth &-= 1
                isObject = levels.close()
                comma = 1
            }
        }
    }
}
