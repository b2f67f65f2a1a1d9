import Foundation
import Testing

/// Checks that the wrappers do not write to private fields of structures of C libraries, and that the wrapper of
/// libxml2 does not read them either.
///
/// An update of a library, which the package manager installs without a new build of the service, may remove an
/// undocumented field or change its meaning. Therefore the wrappers assign only to documented fields. The scanner
/// collects the names of all variables and members of a wrapper whose type is a pointer to a structure of a library,
/// and finds the assignments through them. It does not detect writes through a copy of the address of a field, or with
/// memset.
@Suite struct LibraryStructureTests {
    /// Types that are allowed: bytes, and structures whose fields are documented API.
    private static let documentedTypes: Set<String> = [
        "xmlChar", "png_bytep", "png_const_bytep", "png_voidp",
        "xmlSAXHandler", "xmlSAXHandlerPtr", "TIFFRGBAImage", "WebPDecoderConfig", "WebPPicture",
        "j_common_ptr", "j_compress_ptr", "j_decompress_ptr", "jpeg_common_struct", "jpeg_compress_struct",
        "jpeg_decompress_struct", "jpeg_destination_mgr", "jpeg_error_mgr", "jpeg_progress_mgr", "jpeg_source_mgr",
    ]

    /// An assignment to a field that is not documented, or another use of one.
    struct Use: Equatable, CustomStringConvertible {
        var file: String
        var line: String

        var description: String { "\(file): \(line)" }
    }

    @Test func `no C wrapper writes to a private field of a library`() throws {
        #expect(try Self.shims().flatMap(Self.writes) == [], "use the documented functions of the library")
    }

    /// Reading `wellFormed` is the documented way to determine whether a document was accepted.
    @Test func `the wrapper of libxml2 reads no private field and includes no private header`() throws {
        #expect(try Self.shims().flatMap(Self.privateUses) == [], "use the documented functions of libxml2")
    }

    @Test(arguments: [
        "#include <libxml/parserInternals.h>", "# include \"libxml/parserInternals.h\"", "int s = parser->instate;",
        "x = tape->parser->input->cur;", "parser->inputTab[0]->cur;", "if (parser->myDoc != NULL) return;",
        "input->end;",
    ])
    func `finds a private use of libxml2`(line: String) {
        let use = Use(file: "Sample.c", line: line.trimmingCharacters(in: .whitespaces))
        #expect(Self.privateUses(in: [("Sample.c", Self.parserDeclarations + line)]) == [use])
    }

    @Test(arguments: [
        "#include <libxml/parser.h>", "if (parser->wellFormed) return;", "tape->parser = NULL;", "error->code == 1;",
        "/* parser->instate */", "xmlByteConsumed(tape->parser);",
    ])
    func `reports nothing else as a private use of libxml2`(line: String) {
        #expect(Self.privateUses(in: [("Sample.c", Self.parserDeclarations + line)]) == [])
    }

    @Test(arguments: [
        "parser->instate = XML_PARSER_EOF;", "tape->parser->input->cur += 1;", "  (parser)->wellFormed = 0;",
        "parser->inputTab[0]->cur = end;", "if (a == b) input->cur = input->end;", "input->cur++;", "--input->cur;",
        "tape->parser->nodeTab[i + 1] = NULL;", "input->base = input->cur = text;", "*parser->input->cur = 0;",
        "parser->options |= 1;", "parser->depth <<= 1;", "document->encoding = NULL;", "parser->input->buf->error=0;",
    ])
    func `finds a write`(line: String) throws {
        let write = Use(file: "Sample.c", line: line.trimmingCharacters(in: .whitespaces))
        #expect(try Self.writes(in: [("Sample.c", Self.declarations + line)]) == [write])
    }

    @Test(arguments: [
        "int state = parser->instate;", "if (parser->instate == 1) return;", "if (input->cur <= input->end) x = 1;",
        "input->cur != input->end;", "/* parser->instate = 1; */", "// input->cur = end;", "tape->count = 1;",
        #"log("input->cur = %p");"#, "handler->comment = on_comment;", "tape->parser = parser;", "x = *input->cur;",
        "reader->library->scale_num = 1;", "xmlCtxtUseOptions(parser, 1);", "my_input->cur = 0;",
    ])
    func `reports nothing else as a write`(line: String) throws {
        #expect(try Self.writes(in: [("Sample.c", Self.declarations + line)]) == [])
    }

    @Test func `knows the members that another file of the wrapper declares`() throws {
        let files = [("Tape.h", "struct tape { xmlParserCtxtPtr parser; };"), ("Tape.c", "tape->parser->errNo = 0;")]
        #expect(try Self.writes(in: files) == [Use(file: "Tape.c", line: "tape->parser->errNo = 0;")])
    }

    private static let declarations = """
        static void f(xmlParserCtxtPtr parser, xmlSAXHandler *handler, const xmlDoc *document) {
            xmlParserInput *input = parser->input;
            struct jpeg_decompress_struct *library;

        """

    private static let parserDeclarations =
        "void f(xmlParserCtxtPtr parser, xmlParserInput *input, xmlError *error) {\n"

    /// Returns the C files of each wrapper, with their paths relative to `Sources`.
    private static func shims() throws -> [[(file: String, text: String)]] {
        let root = Project.root.appendingPathComponent("Sources")
        let modules = try FileManager.default.contentsOfDirectory(atPath: root.path).filter { $0.hasPrefix("C") }
            .sorted()
        return try modules.map { module in
            let folder = root.appendingPathComponent(module)
            let files = Project.files(below: folder, suffix: ".c") + Project.files(below: folder, suffix: ".h")
            return try files.map { file in
                (String(file.path.dropFirst(root.path.count + 1)), try String(contentsOf: file, encoding: .utf8))
            }
        }
    }

    /// Returns the lines that include the private header of libxml2, or that use a field of its parser or of an input,
    /// except for `wellFormed`.
    private static func privateUses(in files: [(file: String, text: String)]) -> [Use] {
        let code = files.map { withoutCommentsAndStrings($0.text) }
        let declaration = #/\b(?:xmlBuf|xmlParser(?:Ctxt|Input|InputBuffer))(?:\s*\*+|Ptr\s)\s*(?:const\s+)?(\w+)\b/#
        let pointers = Set(code.flatMap { $0.matches(of: declaration).map { String($0.1) } })
        let header = #/#\s*include\s*[<"]libxml/parserInternals\.h/#
        let field = #/\b(\w+)\)*(?:\[[^\]]*\])*->(\w+)/#
        return zip(files, code).flatMap { file, code in
            zip(lines(file.text), lines(code)).filter { text, code in
                text.contains(header)
                    || code.matches(of: field).contains { pointers.contains(String($0.1)) && $0.2 != "wellFormed" }
            }.map { Use(file: file.file, line: $0.0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    private static func writes(in files: [(file: String, text: String)]) throws -> [Use] {
        let code = files.map { withoutCommentsAndStrings($0.text) }
        let pointers = code.reduce(into: Set<String>()) { $0.formUnion(pointerNames(in: $1)) }
        guard !pointers.isEmpty else { return [] }
        let assignment = try assignment(through: pointers)
        return zip(files, code).flatMap { file, code in
            zip(lines(file.text), lines(code)).filter { $0.1.contains(assignment) }
                .map { Use(file: file.file, line: $0.0.trimmingCharacters(in: .whitespaces)) }
        }
    }

    private static func lines(_ text: String) -> [Substring] {
        text.split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// Returns the variables, parameters and members that point to an undocumented structure of a library. The types of
    /// each library have a common prefix. libxml2, libpng and libjpeg also define names for pointer types.
    private static func pointerNames(in code: String) -> Set<String> {
        let declaration =
            #/
            \b(?:((?:xml[A-Z]|png_|TIFF|WebP|MHD_|cms[A-Z]|jpeg_)\w*)\s*\*+\s*(?:const\s+)?
            |(xml\w+Ptr|png_\w+p|j_\w+_ptr)\s+)(\w+)\b
            /#
        return Set(
            code.matches(of: declaration).filter { match in
                !documentedTypes.contains(String(match.1 ?? match.2 ?? ""))
            }.map { String($0.3) }
        )
    }

    /// Returns a pattern for an assignment to a path through one of `pointers`: `tape->parser->input->cur += 1`.
    private static func assignment(through pointers: Set<String>) throws -> Regex<AnyRegexOutput> {
        let name = #"\b(?:\#(pointers.sorted().joined(separator: "|")))\b"#
        let index = #"(?:\[[^\]]*\])*"#
        let path = #"\#(name)\)*\#(index)->\w+\#(index)(?:(?:->|\.)\w+\#(index))*"#
        let increment = #"(?:\+\+|--)\(*(?:\w+\#(index)(?:->|\.))*\#(name)\)*\#(index)->"#
        return try Regex(#"\#(path)(?:\)*\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--)|\#(increment)"#)
    }

    /// Returns `text` without comments and without the contents of literals. Line numbers do not change.
    private static func withoutCommentsAndStrings(_ text: String) -> String {
        text.replacing(#/(?s:/\*.*?\*/)|//[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'/#) { match in
            String(match.output.filter { $0 == "\n" })
        }
    }
}
