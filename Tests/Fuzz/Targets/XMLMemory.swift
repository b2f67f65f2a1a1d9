import Glibc
import Serialization

/// Reads one hostile XML document in a separate process, and prints the memory in addition to the document and the
/// output.
///
///     XMLMemory NAME FORM MEGABYTES      without arguments: the names
///
/// Prints the name, the form, the length of the document in bytes, the bytes of working memory per byte of the
/// document, and the outcome.
@main struct XMLMemory {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count > 3, let document = HostileXML(rawValue: arguments[1]), let megabytes = Int(arguments[3])
        else {
            for document in HostileXML.allCases { print(document.rawValue) }
            return
        }
        let content = document.content(bytes: megabytes << 20)
        resetPeak()
        let before = residentKilobytes("VmRSS")
        var options = XMLReader.Options(arguments[2] == "document" ? .document : .compact, memory: .unlimited)
        options.hints = true
        if arguments[2] == "clark" { options.names = .clark }
        // The complete output is written, whatever its length.
        options.limits.maxOutputBytes = 2 << 30
        let (outcome, outputBytes) = read(content, document.charset, options)
        let used = (residentKilobytes("VmHWM") - before) << 10 - outputBytes
        let perByte = (used * 100 + content.count / 2) / content.count
        let fraction = perByte % 100
        print(
            document.rawValue,
            arguments[2],
            content.count,
            "\(perByte / 100).\(fraction < 10 ? "0" : "")\(fraction)",
            outcome
        )
    }

    private static func read(_ content: [UInt8], _ charset: String?, _ options: XMLReader.Options) -> (String, Int) {
        var writer = JSONWriter(maxBytes: options.limits.maxOutputBytes)
        var warnings = WarningList(max: options.limits.maxWarnings)
        do throws(XMLError) {
            let summary = try XMLReader.read(
                content.span,
                options: options,
                charset: charset,
                into: &writer,
                warnings: &warnings
            )
            return ("read", writer.buffer.count + (summary.hints?.count ?? 0))
        } catch {
            return ("rejected at \(error.location.byte)", writer.buffer.count)
        }
    }

    /// Resets the peak resident size to the current one (proc(5), `clear_refs`).
    private static func resetPeak() {
        guard let file = fopen("/proc/self/clear_refs", "w") else { return }
        fputs("5", file)
        fclose(file)
    }
}

/// A kind of document that makes an XML reader use as much memory as possible.
enum HostileXML: String, CaseIterable {
    case mixed, mixedTwoBytes, flat, alternating, spaced, spacedTwice, leaves, leavesAlternating, nested, deep,
        deepMixed
    case attributes, manyAttributes, attributeReferences, hugeAttributes, namespaces, undeclaredPrefixes
    case names, names2, longNames, kanaNames, kanaLongNames, nestedGroups, namespacedNames, soapFault, soapFaultText
    case references, textAndReferences, hugeTextAndReference, namedEntities, internalEntities, subsetMixed, subsetText
    case sections, sectionText, hugeSection, comments, instructions, whiteSpace, blankRoot, hugeText, typed
    case lastByteWrong, lastByteWrongText, lastByteUnclosed
    case utf16Mixed, utf16Text, utf16Leaves, latinMixed, latinText, euroText, euroReference, euroAttributes, euroSubset
    case euroMixed, euroLastByteWrong, euroUndeclared, thaiMixed, thaiSpaced, thaiAlternating, kanaMixed,
        kanaMixedTwice, kanaText

    var charset: String? {
        switch self {
        case .latinMixed, .latinText: "iso-8859-1"
        case .euroText, .euroReference, .euroAttributes, .euroSubset, .euroMixed, .euroLastByteWrong, .euroUndeclared:
            "windows-1252"
        case .thaiMixed, .thaiSpaced, .thaiAlternating: "windows-874"
        case .kanaMixed, .kanaMixedTwice, .kanaText, .kanaNames, .kanaLongNames: "shift_jis"
        default: nil
        }
    }

    func content(bytes: Int) -> [UInt8] {
        switch self {
        case .mixed: repeated("<a/>b", bytes)
        case .mixedTwoBytes: repeated("<a/>bc", bytes)
        case .flat: repeated("<a/>", bytes)
        case .alternating: repeated("<a/><b/>", bytes)
        case .spaced: repeated("<a/> <b/> ", bytes)
        case .spacedTwice: repeated("<a/>  <b/>  ", bytes)
        case .leaves: repeated("<a>b</a>", bytes)
        case .leavesAlternating: repeated("<a>bc</a><b>cd</b>", bytes)
        case .nested: repeated("<a><b/></a><c><d/></c>", bytes)
        case .deep: repeated(flood("<a>", 250) + flood("</a>", 250), bytes)
        case .deepMixed: repeated(flood("<a>b", 250) + flood("</a>c", 250), bytes)
        case .attributes: repeated("<a b='c'/>", bytes)
        case .manyAttributes:
            repeated("<a" + (0..<1000).map { " \(letters($0))=''" }.joined() + "/>", bytes)
        case .attributeReferences: repeated("<a b='cd&lt;'/>", bytes)
        case .hugeAttributes: repeated("<a b='\(flood("c", 9_000_000))&lt;'/>", bytes)
        case .namespaces: repeated("<a xmlns:p='u' xmlns='v'/>", bytes)
        case .undeclaredPrefixes: repeated("<p:a/>", bytes)
        case .names, .names2:
            Array("<r>".utf8) + Array((0..<32_000).map { "<\(letters($0))/>" }.joined().utf8)
                + body(self == .names ? "<a/>b" : "<zzz/><zzy/>", bytes - 200_000) + Array("</r>".utf8)
        case .longNames:
            Array("<r>".utf8) + Array((0..<32_000).map { "<\(letters($0))\(flood("n", 58))/>" }.joined().utf8)
                + body("<a/>b", bytes - 2_000_000) + Array("</r>".utf8)
        case .kanaNames:
            repeated(
                "<b/>b",
                bytes,
                start: "<r>" + (0..<32_000).map { "<\(upperLetters($0))/>" }.joined(),
                replacing: 0xB1
            )
        case .kanaLongNames:
            repeated(
                "<b/>b",
                bytes,
                start: "<r>" + (0..<32_000).map { "<\(flood("b", 19))\(upperLetters($0))/>" }.joined(),
                replacing: 0xB1
            )
        case .nestedGroups:
            nested((0..<20_000).map { "<\(letters($0))/>" }.joined(), bytes)
        case .namespacedNames:
            repeated(
                "<a/>b",
                bytes,
                start: "<r xmlns='\(flood("u", 1000))'>" + (0..<32_000).map { "<\(letters($0))/>" }.joined()
            )
        case .soapFault, .soapFaultText:
            repeated(
                self == .soapFault ? "<a/> <b/> " : "<a/>\(flood("b", 100))",
                bytes,
                start: "<e:Envelope xmlns:e='http://schemas.xmlsoap.org/soap/envelope/'><e:Body>",
                end: "<e:Fault/></e:Body></e:Envelope>"
            )
        case .references: repeated("&lt;", bytes)
        case .textAndReferences: repeated("<a>bcdefghijklmnop&lt;</a>", bytes)
        case .hugeTextAndReference: repeated("a", bytes, end: "&lt;</r>")
        case .namedEntities: repeated("&nbsp;b", bytes, start: "<!DOCTYPE r SYSTEM 's'><r>")
        case .internalEntities:
            repeated(flood("b", 700) + "&e;", bytes, start: "<!DOCTYPE r [<!ENTITY e 'efgh'>]><r>")
        case .subsetMixed: repeated("<a/>b", bytes, start: "<!DOCTYPE r [<!ENTITY e 'efgh'>]><r>")
        case .subsetText: repeated("b", bytes, start: "<!DOCTYPE r [<!ENTITY e 'efgh'>]><r>")
        case .sections: repeated("<![CDATA[]]>", bytes)
        case .sectionText: repeated("b<![CDATA[c]]>", bytes)
        case .hugeSection: repeated("b", bytes, start: "<r><![CDATA[", end: "]]></r>")
        case .comments: repeated("<!---->", bytes)
        case .instructions: repeated("<?a?>", bytes)
        case .whiteSpace: [UInt8](repeating: 0x20, count: bytes)
        case .blankRoot: repeated(" ", bytes)
        case .hugeText: repeated("b", bytes)
        case .typed:
            repeated("<a t:type='b'/>", bytes, start: "<r xmlns:t='http://www.w3.org/2001/XMLSchema-instance'>")
        case .lastByteWrong: repeated("<a/>b", bytes, end: "</q>")
        case .lastByteWrongText: repeated("b", bytes, end: "&lt;</r")
        case .lastByteUnclosed: repeated("<a/>b", bytes, end: "</r><")
        case .utf16Mixed: utf16(repeated("<a/>b", bytes / 2))
        case .utf16Leaves: utf16(repeated("<a>b</a><b>c</b>", bytes / 2))
        case .utf16Text: utf16(repeated("b", 1000)).dropLast(8) + flood([0x05, 0x4E], bytes) + utf16Tail
        case .latinMixed: repeated("<a/>b", bytes, replacing: 0xE9)
        case .latinText: repeated("b", bytes, replacing: 0xE9)
        case .euroText: repeated("b", bytes, replacing: 0x80)
        case .euroReference: repeated("b", bytes, end: "&lt;</r>", replacing: 0x80)
        case .euroAttributes: repeated("<a c='\(flood("b", 3_000_000))&lt;'/>", bytes, replacing: 0x80)
        case .euroSubset:
            repeated(
                "b",
                bytes,
                start: "<!DOCTYPE r [<!ENTITY e '\(flood("efgh", 100))'>]><r>",
                end: "&e;</r>",
                replacing: 0x80
            )
        case .euroMixed: repeated("<a/>b", bytes, replacing: 0x80)
        case .euroLastByteWrong: repeated("b", bytes, end: "</q>", replacing: 0x80)
        case .euroUndeclared: repeated("b", bytes, end: "<p:a/></r>", replacing: 0x80)
        case .thaiMixed: repeated("<b/>b", bytes, replacing: 0xA1)
        case .thaiSpaced: repeated("<b/> <c/> ", bytes, replacing: 0xA1)
        case .thaiAlternating: repeated("<b/><c/>", bytes, replacing: 0xA1)
        case .kanaMixed: repeated("<b/>b", bytes, replacing: 0xB1)
        case .kanaMixedTwice: repeated("<b/>bb", bytes, replacing: 0xB1)
        case .kanaText: repeated("b", bytes, replacing: 0xB1)
        }
    }

    // MARK: Shapes

    /// - Parameter replacing: The byte that replaces each `b`.
    private func repeated(
        _ part: String,
        _ bytes: Int,
        start: String = "<r>",
        end: String = "</r>",
        replacing byte: UInt8? = nil
    ) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes + part.utf8.count + start.utf8.count + end.utf8.count)
        text += start.utf8
        let part = Array(part.utf8)
        while text.count < bytes { text += part }
        text += end.utf8
        if let byte {
            for index in text.indices where text[index] == UInt8(ascii: "b") { text[index] = byte }
        }
        return text
    }

    /// Returns a document with the part at each of 250 levels.
    private func nested(_ part: String, _ bytes: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(bytes + 250 * 16 + part.utf8.count)
        text += "<r xmlns:t='http://www.w3.org/2001/XMLSchema-instance' t:type='b'>".utf8
        var levels = 0
        while text.count < bytes, levels < 250 {
            text += part.utf8
            text += "<r>".utf8
            levels += 1
        }
        for _ in 0...levels { text += "</r>".utf8 }
        return text
    }

    private func body(_ part: String, _ bytes: Int) -> [UInt8] {
        Array(repeated(part, bytes, start: "", end: ""))
    }

    private func flood(_ part: String, _ count: Int) -> String { String(repeating: part, count: count) }

    private func flood(_ unit: [UInt8], _ bytes: Int) -> [UInt8] {
        (0..<bytes).map { unit[$0 % unit.count] }
    }

    private var utf16Tail: [UInt8] { Array("</r>".utf8).flatMap { [$0, 0] } }

    private func utf16(_ text: [UInt8]) -> [UInt8] {
        [0xFF, 0xFE] + text.flatMap { [$0, 0] }
    }

    private func upperLetters(_ number: Int) -> String {
        String(letters(number).utf8.map { Character(Unicode.Scalar($0 - 32)) })
    }

    /// Returns a short name for each number.
    private func letters(_ number: Int) -> String {
        var rest = number
        var name = ""
        repeat {
            name.append(Character(Unicode.Scalar(UInt8(ascii: "a") + UInt8(rest % 26))))
            rest /= 26
        } while rest > 0
        return name
    }
}
