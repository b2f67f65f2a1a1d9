import Glibc
import Serialization

/// Reads one generated hostile document and prints the processor time, and the memory in addition to the document.
///
///     Hostile NAME MEGABYTES      without arguments: the names
///
/// Prints the name, bytes, milliseconds, MB/s, the additional memory in tenths of the document's size, and the outcome.
@main struct Hostile {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 2, let attack = Attack(rawValue: arguments[1]), let megabytes = Int(arguments[2]) else {
            for attack in Attack.allCases { print(attack.rawValue) }
            return
        }
        let content = attack.document(bytes: megabytes << 20)
        let before = residentKilobytes("VmRSS")
        let start = clock()
        let outcome = read(content, attack.options)
        let seconds = Double(clock() - start) / 1e6
        let extra = Double(residentKilobytes("VmHWM") - before) * 1024 / Double(content.count)
        let rate = Double(content.count) / seconds / 1e6
        print(attack.rawValue, content.count, Int(seconds * 1e3), Int(rate), Int(extra * 10), outcome)
    }

    private static func read(_ content: [UInt8], _ options: JSONReader.Options) -> String {
        var writer = JSONWriter(capacity: content.count)
        var warnings = WarningList(max: options.limits.maxWarnings)
        do throws(JSONError) {
            _ = try JSONReader.read(
                content.span,
                options: options,
                memory: .unlimited,
                into: &writer,
                warnings: &warnings
            )
            return "read"
        } catch {
            return "refused at \(error.location.byte)"
        }
    }
}

/// A kind of document that is meant to cost more than its length.
enum Attack: String, CaseIterable {
    case ordinary, zeros, nulls
    case duplicates, duplicatesFirst, duplicatesInSmallObjects, longDuplicates, escapedDuplicates
    case objectsOf65, objectsOf64, objectsOf64Shuffled, collidingNames, manyCollidingObjects, longNames, oneObject
    case deepWithNames, deepRepeated, deepWarnings, warningsUnderLongName, objectsInObjects
    case recordsFlood, recordsOfScalars, errorInRecords
    case commentFlood, emptyStringFlood, quotesInQuotes, commaFlood, spaceAfterCommas, unterminatedComments
    case surrogateFlood, identifiers, lastByteWrong
    case controlFlood, escapeFlood, numberForms, digitsBeforeLetter
    case prefixScan, jsonpScan
    case sortedObject, sortedDeep, sortedArray, sortedLongNames, sortedSmallObjects
    case canonicalNumbers, canonicalShortNumbers, canonicalEscapes, canonicalHugeExponents
    case utf16, utf16Duplicates, whiteSpace

    var options: JSONReader.Options {
        var options = JSONReader.Options()
        switch self {
        case .duplicatesFirst: options.duplicates = .first
        case .recordsFlood, .recordsOfScalars, .errorInRecords: options.records = .lines
        case .commentFlood, .spaceAfterCommas, .unterminatedComments, .commaFlood:
            options.leniencies = [.comments, .trailingCommas]
        case .emptyStringFlood, .quotesInQuotes: options.leniencies = .singleQuotes
        case .identifiers: options.leniencies = [.unquotedKeys, .nan]
        case .lastByteWrong:
            options.leniencies = [.comments, .trailingCommas, .singleQuotes, .unquotedKeys, .nan]
            options.surrogates = .replace
        case .controlFlood, .escapeFlood, .numberForms, .digitsBeforeLetter:
            options.leniencies = [.rawControlCharacters, .badEscapes, .numberForms]
        case .surrogateFlood: options.surrogates = .replace
        case .jsonpScan: options.acceptsJSONP = true
        case .sortedObject, .sortedDeep, .sortedArray, .sortedLongNames, .sortedSmallObjects: options.keys = .sorted
        case .canonicalNumbers, .canonicalShortNumbers, .canonicalEscapes, .canonicalHugeExponents:
            options.isCanonical = true
        default: break
        }
        return options
    }

    /// Returns a document of about `bytes` bytes.
    func document(bytes: Int) -> [UInt8] {
        switch self {
        case .ordinary:
            list(bytes) { #"{"id":\#($0),"name":"some text","tags":["a","b"],"x":null,"y":1.5}"# }
        case .zeros: list(bytes) { _ in "0" }
        case .nulls: object(bytes) { _ in #""a":null"# }
        case .duplicates, .duplicatesFirst: limitedObjects(bytes, of: 1_000_000) { #""\#($0 % 7)":1"# }
        case .duplicatesInSmallObjects: limitedObjects(bytes, of: 60) { #""\#($0 % 7)":1"# }
        case .longDuplicates:
            object(bytes) { _ in "\"" + String(repeating: "n", count: 60_000) + "\":1" }
        case .escapedDuplicates:
            limitedObjects(bytes, of: 60) { $0 % 2 == 0 ? #""\u0061\u0062\u0063":1"# : #""abc":1"# }
        case .objectsOf65: limitedObjects(bytes, of: 65) { #""\#($0)":0"# }
        case .objectsOf64: limitedObjects(bytes, of: 64) { #""\#($0)":0"# }
        case .objectsOf64Shuffled: limitedObjects(bytes, of: 64) { #""\#($0 &* 2_654_435_761 & 0xFF_FFFF)":0"# }
        case .collidingNames: limitedObjects(bytes, of: 64) { #""same head\#(100 + $0 % 900)same tail":0"# }
        case .manyCollidingObjects: limitedObjects(bytes, of: 64) { #""same head\#(1_000_000 + $0)same tail":0"# }
        case .longNames:
            limitedObjects(bytes, of: 64) {
                "\"" + String(repeating: "h", count: 30_000) + "\($0)" + String(repeating: "t", count: 30_000) + "\":0"
            }
        case .oneObject: limitedObjects(bytes, of: 1_000_000) { #""name \#($0)":0"# }
        case .deepWithNames:
            list(bytes) { _ in
                String(repeating: #"{"a":"#, count: 500) + "0" + String(repeating: "}", count: 500)
            }
        case .deepRepeated:
            list(bytes) { _ in String(repeating: "[", count: 500) + String(repeating: "]", count: 500) }
        case .deepWarnings:
            list(bytes) { _ in
                let name = String(repeating: "n", count: 60)
                return String(repeating: "{\"\(name)\":", count: 500) + #"{"a":1,"a":2}"#
                    + String(repeating: "}", count: 500)
            }
        case .warningsUnderLongName:
            list(bytes) { _ in
                let name = String(repeating: "n", count: 60_000)
                return "{\"\(name)\":{" + String(repeating: #""a":1,"#, count: 99) + #""a":1}}"#
            }
        case .objectsInObjects:
            // Each level contains 65 members, so that a table is open at each.
            list(bytes) { _ in
                let members = (0..<65).map { #""\#($0)":0,"# }.joined()
                return String(repeating: "{\(members)\"c\":", count: 500) + "0" + String(repeating: "}", count: 500)
            }
        case .recordsFlood: lines(bytes) { _ in "{}" }
        case .recordsOfScalars: lines(bytes) { _ in "1" }
        case .errorInRecords: lines(bytes) { _ in #"{"a":1}"# } + Array("{".utf8)
        case .commentFlood: Array("[".utf8) + flood(bytes, "/**/") + Array("1]".utf8)
        case .emptyStringFlood: list(bytes) { _ in "''" }
        case .quotesInQuotes: Array("['".utf8) + flood(bytes, "\"") + Array("']".utf8)
        case .commaFlood: Array("[1".utf8) + flood(bytes, ",") + Array("]".utf8)
        case .spaceAfterCommas: Array("[1".utf8) + flood(bytes / 2, ", ") + flood(bytes / 2, " ") + Array("]".utf8)
        case .unterminatedComments: Array("[".utf8) + flood(bytes, "/*")
        case .surrogateFlood: list(bytes) { _ in #""\ud800""# }
        case .controlFlood: Array("[\"".utf8) + flood(bytes, "\u{1}") + Array("\"]".utf8)
        case .escapeFlood: Array("[\"".utf8) + flood(bytes, #"\d"#) + Array("\"]".utf8)
        case .numberForms: list(bytes) { _ in ".5" }
        case .digitsBeforeLetter: Array("[".utf8) + flood(bytes, "01") + Array("a]".utf8)
        case .identifiers: Array("{".utf8) + flood(bytes, "a ") + Array("}".utf8)
        case .lastByteWrong: list(bytes) { _ in #"{"a":["text",1,true]}"# } + Array("!".utf8)
        case .prefixScan: Array(")]}'".utf8) + flood(bytes, "\n") + Array("1".utf8)
        case .jsonpScan: Array("a(".utf8) + flood(bytes, "a(") + flood(200, ");")
        case .sortedObject: limitedObjects(bytes, of: 1_000_000) { #""\#(($0 &* 2_654_435_761) & 0xFFFF_FFFF)":0"# }
        case .sortedDeep:
            list(bytes) { _ in
                String(repeating: #"{"b":0,"a":"#, count: 500) + "0" + String(repeating: "}", count: 500)
            }
        case .sortedArray: list(bytes) { _ in "0" }
        case .sortedLongNames:
            limitedObjects(bytes, of: 1000) { "\"" + String(repeating: "n", count: 16_000) + "\($0)\":0" }
        case .sortedSmallObjects: list(bytes) { _ in #"{"a":0}"# }
        case .canonicalNumbers: list(bytes) { _ in "0." + String(repeating: "7", count: 4094) }
        case .canonicalShortNumbers: list(bytes) { _ in "1.0" }
        case .canonicalEscapes: list(bytes) { _ in #""\u0041\u00e9\ud83d\ude00""# }
        case .canonicalHugeExponents: list(bytes) { _ in "9e20" }
        case .utf16: utf16(list(bytes / 2) { #"{"id":\#($0),"name":"text"}"# })
        case .utf16Duplicates: utf16(limitedObjects(bytes / 2, of: 60) { #""\#($0 % 7)":1"# })
        case .whiteSpace: Array("[".utf8) + flood(bytes, " ") + Array("]".utf8)
        }
    }

    // MARK: Shapes

    private func list(_ bytes: Int, _ element: (Int) -> String) -> [UInt8] {
        repeated(bytes, "[", ",", "]", element)
    }

    private func object(_ bytes: Int, _ member: (Int) -> String) -> [UInt8] {
        repeated(bytes, "{", ",", "}", member)
    }

    private func lines(_ bytes: Int, _ line: (Int) -> String) -> [UInt8] {
        repeated(bytes, "", "\n", "", line)
    }

    private func limitedObjects(_ bytes: Int, of count: Int, _ member: (Int) -> String) -> [UInt8] {
        var text = Array("[{".utf8)
        var index = 0
        while text.count < bytes {
            if index > 0 { text += index % count == 0 ? Array("},{".utf8) : Array(",".utf8) }
            text += member(index).utf8
            index += 1
        }
        return text + "}]".utf8
    }

    private func repeated(
        _ bytes: Int,
        _ open: String,
        _ separator: String,
        _ close: String,
        _ part: (Int) -> String
    ) -> [UInt8] {
        var text = Array(open.utf8)
        var index = 0
        while text.count < bytes {
            if index > 0 { text += separator.utf8 }
            text += part(index).utf8
            index += 1
        }
        return text + close.utf8
    }

    private func flood(_ bytes: Int, _ piece: String) -> [UInt8] {
        let piece = Array(piece.utf8)
        return (0..<bytes).map { piece[$0 % piece.count] }
    }

    private func utf16(_ text: [UInt8]) -> [UInt8] {
        text.flatMap { [$0, 0] }
    }
}
