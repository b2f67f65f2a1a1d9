import Glibc
import SerializationSupport
import Testing

@testable import Serialization

/// Forms (`application/x-www-form-urlencoded`) as objects.
@Suite struct FormReaderTests {
    private static let type = "application/x-www-form-urlencoded"

    private func value(_ content: String, _ configure: (inout SerializationOptions) -> Void = { _ in }) -> String? {
        serialize(type: Self.type, content) { options in
            options.view = .value
            configure(&options)
        }.json
    }

    @Test(arguments: [
        ("a=1", #"{"a":"1"}"#), ("a=1&b=2", #"{"a":"1","b":"2"}"#), ("a", #"{"a":""}"#), ("a=", #"{"a":""}"#),
        ("=1", #"{"":"1"}"#), ("=", #"{"":""}"#), ("a=b=c", #"{"a":"b=c"}"#), ("a+b=c+d", #"{"a b":"c d"}"#),
        ("J%C3%BCrgen=%e2%82%AC", #"{"Jürgen":"€"}"#), ("ü=é", #"{"ü":"é"}"#), ("a=%22%5C%0a", #"{"a":"\"\\\n"}"#),
        ("a=%00", #"{"a":"\u0000"}"#), ("a%3D%26=%2B%25", #"{"a=&":"+%"}"#), ("&&a=1&&", #"{"a":"1"}"#), ("&", "{}"),
        ("a=1\n", #"{"a":"1\n"}"#), ("a[]=1&a[]=2", #"{"a[]":["1","2"]}"#),
    ])
    func `each name is a member`(content: String, expected: String) {
        #expect(value(content) == expected)
    }

    @Test(arguments: [
        ("a=1&a=2", #"{"a":["1","2"]}"#), ("b=1&a=2&b=3&c=4&b=5", #"{"b":["1","3","5"],"a":"2","c":"4"}"#),
        ("a=1&%61=2", #"{"a":["1","2"]}"#), ("a&a=", #"{"a":["",""]}"#), ("=1&=2", #"{"":["1","2"]}"#),
    ])
    func `a name that occurs several times is an array at the position of the first`(content: String, expected: String)
    {
        #expect(value(content) == expected)
    }

    @Test func `form-arrays makes arrays of single values`() {
        #expect(value("a=1&b=2") { $0.formArrays = .always } == #"{"a":["1"],"b":["2"]}"#)
        #expect(value("a=1&b=2&c=3") { $0.formArrays = .names(["c", "a", "d"]) } == #"{"a":["1"],"b":"2","c":["3"]}"#)
    }

    @Test(arguments: [
        (FormArrays.auto, "/a"), (.always, "/a/0"), (.names(["b"]), "/a"), (.names(["b", "a"]), "/a/0"),
    ])
    func `the pointer of an error is that of the value in the result`(arrays: FormArrays, pointer: String) {
        let result = serialize(type: Self.type, "b=1&a=%FF") { $0.formArrays = arrays }
        guard let error = result.chain.first?.contentError as? FormError else {
            Issue.record("the form is rejected")
            return
        }
        #expect(error.location.pointer == pointer)
    }

    /// The pages of the content are never touched.
    @Test func `content whose offsets could exceed 32 bits is rejected`() throws {
        let count = FormReader.maxBytes + 1
        let pages = try #require(mmap(nil, count, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0))
        try #require(pages != MAP_FAILED)
        defer { munmap(pages, count) }
        // The content of a response whose codings were decoded may be longer than what was received.
        let serializer = ResponseSerializer()
        let message = serializer.received(UpstreamResponse(), nil, .unlimited)
        let content = UnsafeRawBufferPointer(start: pages, count: count).bindMemory(to: UInt8.self).span
        do throws(SerializationFailure) {
            _ = try serializer.serialize(message, content, with: .form, nil)
            Issue.record("the form is rejected")
        } catch {
            #expect(error.chain == [.contentTooLong(max: FormReader.maxBytes)])
        }
    }

    @Test func `arrays that exist only because of repetition are listed`() throws {
        func inferred(_ arrays: FormArrays) -> [String] {
            serialize(type: Self.type, "a=1&b=2&b=3&c=4&c=5") { $0.formArrays = arrays }.upstream.form?.inferredArrays
                ?? []
        }
        #expect(inferred(.auto) == ["b", "c"])
        #expect(inferred(.names(["c"])) == ["b"])
        #expect(inferred(.always) == [])
    }

    @Test(arguments: [(1, 100), (1_000, 65)])
    func `at most 100 inferred arrays are listed, and 64 KiB of their names`(nameBytes: Int, listed: Int) {
        let names = (0..<120).map { "\($0)" + String(repeating: "n", count: nameBytes) }
        let result = serialize(type: Self.type, names.map { "\($0)=1&\($0)=2" }.joined(separator: "&"))
        #expect(result.upstream.form?.inferredArrays == Array(names.prefix(listed)))
    }

    @Test(
        arguments: [
            ("auto", .auto), ("always", .always), ("a", .names(["a"])), ("a,b", .names(["a", "b"])), ("", nil),
            ("a,,b", nil), ("a,", nil),
        ] as [(String, FormArrays?)]
    )
    func `form-arrays is a keyword or a list of names`(text: String, expected: FormArrays?) {
        #expect(FormArrays(parsing: text) == expected)
        if let expected { #expect(expected.text == text) }
    }

    @Test(arguments: [
        // bytes, offset, pointer
        ("a=%FF", 2, "/a"), ("a=1&b=x%C3%28", 7, "/b"), ("a=1&a=%C3", 6, "/a/1"), ("%FF=1", 0, ""),
        ("a/b=%80", 4, "/a~1b"),
    ])
    func `invalid UTF-8 is an error with its location`(content: String, byte: Int, pointer: String) {
        let error = refusal(of: content)
        #expect(error?.reason == .invalidEncoding("utf-8"))
        #expect(error?.location == SourceLocation(byte: byte, line: 1, column: byte + 1, pointer: pointer))
    }

    private func refusal(
        of content: String,
        type: String = Self.type,
        _ configure: (inout Limits) -> Void = { _ in }
    ) -> FormError? {
        var limits = Limits()
        configure(&limits)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: type)
        let content = Array(content.utf8)
        do {
            _ = try ResponseSerializer(limits: limits).serialize(response, content: content.span, memory: .unlimited)
            return nil
        } catch {
            guard let error = error.chain.first?.contentError as? FormError else { return nil }
            return error
        }
    }

    @Test func `the charset of the label is used for text that is not UTF-8`() {
        let result = serialize(type: Self.type + ";charset=iso-8859-1", "a=%E9&%FC=b&c=%e2%82") { $0.view = .value }
        #expect(result.json == #"{"a":"é","ü":"b","c":"â‚"}"#)
        #expect(result.upstream.representation.charset == "windows-1252")
        let unicode = serialize(type: Self.type + ";charset=iso-8859-1", "a=%C3%A9")
        #expect(unicode.upstream.representation.charset == "utf-8")
        #expect(unicode.warnings.map(\.code) == ["response.charset_mismatch"])
        #expect(serialize(type: Self.type + ";charset=iso-8859-1", "a=1").warnings == [])
        // The labels of ASCII mean windows-1252.
        for label in ["us-ascii", "ascii", "US-ASCII"] {
            let ascii = serialize(type: Self.type + ";charset=" + label, "a=%E9") { $0.view = .value }
            #expect(ascii.json == #"{"a":"é"}"#, "\(label)")
            #expect(
                serialize(type: Self.type + ";charset=" + label, "a=%C3%A9").upstream.representation.charset == "utf-8"
            )
        }
        #expect(refusal(of: "a=%FF", type: Self.type + ";charset=utf8")?.reason == .invalidEncoding("utf-8"))
        #expect(
            refusal(of: "a=%FF", type: Self.type + ";charset=x-unknown")?.reason == .unsupportedCharset("x-unknown")
        )
        #expect(refusal(of: "a=%FF", type: Self.type + ";charset=utf-16")?.reason == .invalidEncoding("utf-8"))
    }

    @Test(arguments: ["iso-2022-jp", "iso-2022-kr", "hz-gb-2312", "utf-16", "utf-7"])
    func `a charset that gives ASCII another meaning is ignored with a warning`(label: String) {
        let result = serialize(type: Self.type + ";charset=" + label, "a=\u{1B}$B4A\u{1B}(B") { $0.view = .value }
        #expect(result.json == #"{"a":"\u001b$B4A\u001b(B"}"#)
        #expect(result.warnings.map(\.code) == ["response.charset_mismatch"])
    }

    /// 漢 is the bytes 8A BF in Shift_JIS. Both are continuation bytes in UTF-8, and each is a character of
    /// windows-1251.
    @Test(arguments: [("shift_jis", [4, 2]), ("gb18030", [4, 2]), ("windows-1251", [5, 3])])
    func `columns are counted in the characters of the charset`(label: String, columns: [Int]) throws {
        let content: [UInt8] = Array("k=".utf8) + [0x8A, 0xBF] + Array("%z&\n".utf8) + [0x8A, 0xBF] + Array("%=".utf8)
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.type + ";charset=" + label)
        let result = try ResponseSerializer().serialize(response, content: content.span, memory: .unlimited)
        let locations = result.warnings.filter { $0.code == "form.invalid_escape" }.compactMap(\.location)
        #expect(locations.map(\.byte) == [4, 10])
        #expect(locations.map(\.line) == [1, 2])
        #expect(locations.map(\.column) == columns)
    }

    @Test func `a byte order mark is removed, and UTF-16 is transcoded`() {
        let marked = serialize(type: Self.type, "\u{FEFF}a=1") { $0.view = .value }
        #expect(marked.json == #"{"a":"1"}"#)
        #expect(marked.warnings.map(\.code) == ["response.byte_order_mark"])
        let wide = "a=1&b=é%".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        var response = UpstreamResponse()
        response.fields.append(name: "Content-Type", value: Self.type)
        var options = SerializationOptions()
        options.view = .value
        let result = serialize(response, content: wide, options: options)
        #expect(result.json == #"{"a":"1","b":"é%"}"#)
        #expect(result.warnings.map(\.code) == ["response.transcoded", "form.invalid_escape"])
        #expect(result.warnings.last?.location == SourceLocation(byte: 14, line: 1, column: 8, pointer: "/b"))
    }

    @Test func `a percent sign without two digits is kept, with a warning`() {
        let result = serialize(type: Self.type, "a=100%&b%=%4&a=%zz&c=%41") { $0.view = .value }
        #expect(result.json == #"{"a":["100%","%zz"],"b%":"%4","c":"A"}"#)
        #expect(result.warnings.allSatisfy { $0.code == "form.invalid_escape" })
        let locations = result.warnings.compactMap(\.location)
        #expect(locations.map(\.byte) == [5, 8, 10, 15])
        #expect(locations.map(\.pointer) == ["/a/0", "/b%", "/b%", "/a/1"])
    }

    @Test func `limits are checked`() {
        #expect(refusal(of: "ab=1") { $0.maxKeyBytes = 2 } == nil)
        #expect(refusal(of: "x=1&abc=1") { $0.maxKeyBytes = 2 }?.reason == .keyTooLong(max: 2))
        #expect(refusal(of: "a=1&b=1&a=1") { $0.maxObjectMembers = 2 } == nil)
        let error = refusal(of: "a=1&b=1&c=1") { $0.maxObjectMembers = 2 }
        #expect(error?.reason == .tooManyMembers(max: 2))
        #expect(error?.location == SourceLocation(byte: 8, line: 1, column: 9, pointer: ""))
    }

    @Test func `many names and many values are found by their hashes`() {
        let count = 20_000
        let content = (0..<count * 2).map { "n\($0 % count)=\($0)" }.joined(separator: "&")
        let expected = (0..<count).map { #""n\#($0)":["\#($0)","\#($0 + count)"]"# }.joined(separator: ",")
        #expect(value(content) == "{" + expected + "}")
    }

    // MARK: Selection

    @Test func `only the media type or the name selects it`() {
        #expect(
            serialize(type: Self.type, "a=1").json?.hasPrefix(#"{"outcome":"value","serializer":"form","value":{"a":"#)
                == true
        )
        #expect(serialize(type: "text/plain", "a=1&b=2").json == nil)
        #expect(serialize(type: nil, "a=1&b=2").json == nil)
        let named = serialize(type: "text/plain", "a=1") {
            $0.serializer = .one(.form)
            $0.view = .value
        }
        #expect(named.json == #"{"a":"1"}"#)
        #expect(serialize(type: Self.type, "").json?.hasPrefix(#"{"outcome":"empty","serializer":"form""#) == true)
    }

    @Test(arguments: [#"{"a":1}"#, "[1]", "<a/>"])
    func `auto rejects content that cannot begin a form`(content: String) {
        #expect(serialize(type: Self.type, content).json == nil)
    }

    @Test func `a compound tries it like any other`() {
        let result = serialize(type: Self.type, "a=1") {
            $0.serializer = .compound([.json, .form])
            $0.view = .value
        }
        #expect(result.json == #"{"a":"1"}"#)
    }

    @Test func `profile afnetworking does not accept it`() {
        let result = serialize(type: Self.type, "a=1") {
            $0.rules = .afnetworking
            $0.serializer = .one(.form)
        }
        #expect(result.json == nil)
    }
}
