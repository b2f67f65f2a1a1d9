// The kernel: one pass over the text that writes while it reads.
//
// There is no tree and no token list. Two indices move forward, `i` in the source and `o` in the sink, and everything
// before them has been checked against RFC 8259 and written in minified form. Text is removed by moving `o` back:
//
//      source   { "a" : 1 , "b" : null , "c" : 2 }
//                                    ^ a null: `o` returns to where member "b" began
//      sink     {"a":1,"b":
//               {"a":1,         and the next member follows: {"a":1,"c":2,
//
// Every member and element is written with a comma after it, and a closing bracket replaces the last one. Open
// containers are a stack of levels, which also contains the names of each open object (`JSONLevels`), so nothing
// recurses. The loops that check strings and numbers also copy them (`JSONCopier`); their text is never changed.
//
// The ambiguities of RFC 8259, and how we resolve them: the levels handle duplicate names (§4); nesting has a limit
// (§9); numbers of any size and precision are kept as written (§6); lone surrogate escapes (§8.2) are rejected.

/// Normalizes one value of a strict UTF-8 text.
///
/// **Invariant.** Before each token, the source up to `i` has been checked against RFC 8259, and the sink up to `o`
/// contains its minified form, without the members that were dropped and with a comma after each member and element.
/// The levels describe exactly the containers that are open, with the names of their members. Neither index leaves its
/// memory (see `JSONSource` and `JSONSink`). The kernel either reaches the end of the value or throws the first fault,
/// with its offset in the source. `JSONOracle` (FuzzJSON) checks the results, and compares strict texts with those of a
/// second parser, `ModelParser`.
struct JSONKernel {
    let source: JSONSource
    let sink: JSONSink
    let options: JSONReader.Options

    struct Output: Equatable {
        /// The number of bytes written to the sink.
        var count: Int
        /// The end of the value in the source.
        var end: Int
        var nullsDropped: Int
    }

    /// Reads the value that begins at `start`, or after the white space there, and stops at its end.
    /// - Parameter levels: Levels without an open container. After the call they contain the duplicates that were
    ///   found.
    func run(from start: Int = 0, _ levels: inout JSONLevels) throws(JSONFault) -> Output {
        // Local variables can be kept in registers; a store through the sink could change members.
        let source = source
        let sink = JSONAddresses(sink)
        let outputStart = sink.start
        let text = JSONCopier(source: source, sink: sink, maxNumberBytes: options.limits.maxNumberBytes)
        let maxKeyBytes = options.limits.maxKeyBytes
        let dropsNullMembers = options.nulls != .keep
        let dropsNullElements = options.nulls == .dropAll
        let findsDuplicates = options.duplicates != .keep

        var i = start
        var o = outputStart
        var container = JSONLevels.Container.none  // the innermost open one
        var begin = 0  // the start of its current member in the sink

        text.skipWhiteSpace(&i)
        var window = JSONWindow(source)
        // One bit distinguishes '{' and '['.
        if i < source.count, source[i] | 0x20 != UInt8(ascii: "{") {
            if i > window.limit { window = levels.endWindow(from: i) }
            (i, o) = try text.copyScalar(from: window, i, o, isAllowed: options.fragments)
            return Output(count: o &- outputStart, end: i, nullsDropped: 0)
        }

        levels.nullsDropped = 0
        values: while true {
            if _slowPath(i > window.limit) { window = levels.endWindow(from: i) }

            // Before the value: its name.
            if container == .object {
                begin = o
                if !levels.copyExpectedName(from: window, to: sink, &i, &o) {
                    guard window[i] == UInt8(ascii: "\"") else { throw JSONFault(.expectedName, at: i) }
                    let quote = i
                    let hasEscapes = try text.copyString(from: window, &i, &o)
                    if i &- quote &- 2 > maxKeyBytes { throw JSONFault(.keyTooLong, at: quote) }
                    if findsDuplicates {
                        try levels.add((quote &+ 1)..<(i &- 1), hasEscapes: hasEscapes, outputStart: begin)
                    }
                    if _slowPath(i > window.limit) { window = levels.endWindow(from: i) }
                    if _slowPath(window[i] != UInt8(ascii: ":")) {
                        i = text.endOfWhiteSpace(from: i)
                        if i > window.limit { window = levels.endWindow(from: i) }
                        guard window[i] == UInt8(ascii: ":") else { throw JSONFault(.expectedColon, at: i) }
                    }
                    sink.put(UInt8(ascii: ":"), at: o)
                    i &+= 1
                    o &+= 1
                }
            }

            // The value, and a comma after it. A container that is not empty continues with its first member or
            // element.
            var first = window[i]
            if _slowPath(first <= 0x20) {
                // White space remains only after a colon: almost always one space.
                if first == 0x20 {
                    i &+= 1
                    first = window[i]
                }
                if first <= 0x20 {
                    i = text.endOfWhiteSpace(from: i)
                    if _slowPath(i > window.limit) { window = levels.endWindow(from: i) }
                    first = window[i]
                }
            }
            separated: do {
                value: do {
                    switch first {
                    case UInt8(ascii: "\""):
                        if try text.copyStringAndComma(from: window, &i, &o) { break separated }

                    case UInt8(ascii: "1")...UInt8(ascii: "9"):
                        if try text.copyNumberAndComma(from: window, &i, &o) { break separated }

                    case _ where first | 0x20 == UInt8(ascii: "{"):
                        sink.put(first, at: o)
                        o &+= 1
                        container = JSONLevels.Container(openedBy: first)
                        try levels.open(container, at: i)
                        i &+= 1
                        if _slowPath(window[i] <= 0x20) {
                            levels.withIndentation { text.skipIndentation(in: window, &i, guess: &$0) }
                            if _slowPath(i > window.limit) { window = levels.endWindow(from: i) }
                        }
                        if window[i] == container.bracket { break value }
                        continue values

                    case UInt8(ascii: "-"), UInt8(ascii: "0"):
                        if try text.copySignOrZeroAndComma(from: window, &i, &o) { break separated }

                    case UInt8(ascii: "t"):
                        try text.copyLiteral(JSONCopier.trueWord, from: window, &i, &o)

                    case UInt8(ascii: "f"):
                        try text.copyFalse(from: window, &i, &o)

                    case UInt8(ascii: "n"):
                        try text.copyLiteral(JSONCopier.nullWord, from: window, &i, &o)
                        if container == .object {
                            if dropsNullMembers {
                                o = begin
                                levels.nullsDropped &+= 1
                                break value
                            }
                        } else if dropsNullElements {
                            // Without a name, the element began with these four letters.
                            o &-= 4
                            levels.nullsDropped &+= 1
                            break value
                        }

                    default: throw JSONFault(.expectedValue, at: i)
                    }
                    sink.put(UInt8(ascii: ","), at: o)
                    o &+= 1
                }

                // After the value: a comma and the next value, or the end of one or more containers.
                while true {
                    if _slowPath(i > window.limit) { window = levels.endWindow(from: i) }
                    let next = window[i]
                    if next == UInt8(ascii: ",") {
                        i &+= 1
                        break separated
                    }
                    if _fastPath(next == container.bracket) {
                        i &+= 1
                        (container, o) = levels.close(end: o, in: sink)
                        sink.put(next, at: o)
                        sink.put(UInt8(ascii: ","), at: o &+ 1)
                        o &+= 2
                        if container == .none {
                            return Output(count: o &- 1 &- outputStart, end: i, nullsDropped: levels.nullsDropped)
                        }
                    } else {
                        let end = i
                        levels.withOuterIndentation { text.skipIndentation(in: window, &i, guess: &$0) }
                        if i == end { throw JSONFault(container.fault, at: i) }
                    }
                }
            }
            if _slowPath(window[i] <= 0x20) {
                levels.withIndentation { text.skipIndentation(in: window, &i, guess: &$0) }
            }
        }
    }
}
