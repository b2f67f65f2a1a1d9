import SerializationSupport
import TestSupport
import Testing

@testable import Serialization

/// `hints=true`: the `xsi:type` of elements, by JSON Pointer in the compact form.
@Suite struct XMLTypeHintsTests {
    @Test(arguments: [
        ("<n xsi:type='xs:int'>5</n>", ##"{"/r/n/#text":"xs:int"}"##),
        ("<n xsi:type=' xs:date '>x</n>", ##"{"/r/n/#text":"xs:date"}"##),
        ("<n xsi:type='xs:string'/>", ##"{"/r/n":"xs:string"}"##),
        ("<n xsi:type='t:Order'><id>1</id></n>", ##"{"/r/n":"t:Order"}"##),
        // The first element of a recurring name is in the array with the others.
        ("<n xsi:type='a'>1</n><m/><n xsi:type='b'>2</n>", ##"{"/r/n/0/#text":"a","/r/n/1/#text":"b"}"##),
        ("<n>1</n><m xsi:type='b'>2</m>", ##"{"/r/m/#text":"b"}"##),
        ("one <n xsi:type='a'>1</n> two", ##"{"/r/#content/1/n/#text":"a"}"##),
        ("<c><n xsi:type='a'>1</n></c><c><n xsi:type='b'>2</n></c>", ##"{"/r/c/0/n/#text":"a","/r/c/1/n/#text":"b"}"##),
        // The attribute of another namespace, and text that is not a name.
        ("<n type='xs:int'>5</n>", nil),
        ("<n xsi:type='xs:int xs:date'>5</n>", nil),
        ("<n xsi:type=''>5</n>", nil),
    ])
    func `types are reported under the pointers of their values`(content: String, hints: String?) {
        #expect(self.hints("<r xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance'>\(content)</r>") == hints)
    }

    @Test func `each prefix of the namespace counts`() {
        let text = """
            <r xmlns:a="http://www.w3.org/2001/XMLSchema-instance" xmlns:b="http://www.w3.org/2001/XMLSchema-instance">\
            <x a:type="one">1</x><y b:type="two">2</y><z xmlns:a="urn:other" a:type="three">3</z></r>
            """
        #expect(hints(text) == ##"{"/r/x/#text":"one","/r/y/#text":"two"}"##)
    }

    /// An attribute is not searched in the list of all names that mean `xsi:type`.
    @Test func `thousands of prefixes of the namespace cost no more than one`() {
        let typed = (0..<4000).map { "<a xmlns:p\($0)='http://www.w3.org/2001/XMLSchema-instance' p\($0):type='x'/>" }
        let others = String(repeating: "<b c='' d='' e='' f=''/>", count: 4000)
        let few = "<r>" + typed[0] + others + "</r>"
        let many = "<r>" + typed.joined() + others + "</r>"
        let once = processorTime { #expect(hints(few) == #"{"/r/a":"x"}"#) }
        let often = processorTime { #expect(hints(many)?.utf8.count ?? 0 > 4000) }
        // A search would take three hundred times as much.
        #expect(often < once * 20)
    }

    /// The path of an element is written only if it has a hint.
    @Test func `elements without a type cost nothing, whatever their names are`() {
        func time(_ namespaceBytes: Int) -> Duration {
            let start = """
                <r xmlns="\(String(repeating: "u", count: namespaceBytes))" \
                xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><b xsi:type="x"/>
                """
            let text = start + String(repeating: "<a/>", count: 20_000) + "</r>"
            var options = XMLReader.Options(.compact)
            options.names = .clark
            options.hints = true
            let tape = XMLTape(reading: text.utf8.span, XMLTape.Settings())
            let keys = XMLKeys(tape, .clark)
            let arrays = XMLArrayRules(.auto, tape, keys)
            return (0..<2).map { _ in
                var hints = TypeHints(isWanted: true, maxBytes: 1 << 20, memory: .unlimited)
                let time = processorTime { XMLTypeHints.read(tape, keys, arrays, options, into: &hints) }
                #expect(hints.finish()?.count ?? 0 > namespaceBytes)
                return time
            }.min() ?? .zero
        }
        // About the same time; it was more than a thousand times as long.
        #expect(time(10_000) < time(10) * 8 + .milliseconds(5))
    }

    @Test func `pointers follow the options`() {
        let text = """
            <p:r xmlns:p="urn:p" xmlns:q="urn:a/b" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\
            <p:n xsi:type="a">1</p:n><q:n xsi:type="b"> </q:n></p:r>
            """
        #expect(hints(text) == ##"{"/p:r/p:n/#text":"a","/p:r/q:n/#text":"b"}"##)
        #expect(hints(text) { $0.xmlNames = .local } == ##"{"/r/n/0/#text":"a","/r/n/1/#text":"b"}"##)
        #expect(
            hints(text) { $0.xmlNames = .clark }
                == ##"{"/{urn:p}r/{urn:p}n/#text":"a","/{urn:p}r/{urn:a~1b}n/#text":"b"}"##
        )
        #expect(hints(text) { $0.xmlTrim = true } == ##"{"/p:r/p:n/#text":"a","/p:r/q:n":"b"}"##)
        #expect(hints(text) { $0.xmlArrays = .always } == ##"{"/p:r/p:n/0/#text":"a","/p:r/q:n/0/#text":"b"}"##)
    }

    @Test func `there are no hints without a request or in the lossless form`() {
        let text = "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='a'>1</r>"
        #expect(hints(text) == ##"{"/r/#text":"a"}"##)
        #expect(hints(text) { $0.hints = false } == nil)
        #expect(hints(text, .document) == nil)
    }

    @Test func `hints count against the limit of the output`() throws {
        let item = "<a_rather_long_name i:type='t'/>"
        let text = "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(String(repeating: item, count: 100))</r>"
        var limits = Limits()
        limits.maxOutputBytes = 2_500
        #expect(serialize(type: "application/xml", text, limits: limits) { $0.hints = false }.json != nil)
        let refused = serialize(type: "application/xml", text, limits: limits) { $0.hints = true }
        #expect(refused.json == nil)
        #expect(refused.chain.first == .outputTooLong(max: 2_500))
    }

    /// The value is rejected in any case. The memory for the first hints is requested in advance.
    @Test(arguments: [(1 << 20, true), (10, false)])
    func `no hints are collected for a value that is too long`(maxBytes: Int, areCollected: Bool) throws {
        let items = String(repeating: "<n i:type='t'>1</n>", count: 2_000)
        let text = "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'>\(items)</r>"
        let grants = MemoryGrantTests.Grants(bytes: .max)
        var options = XMLReader.Options(.compact, memory: grants)
        options.hints = true
        var writer = JSONWriter(maxBytes: maxBytes)
        var warnings = WarningList(max: 100)
        _ = try XMLReader.read(Array(text.utf8).span, options: options, into: &writer, warnings: &warnings)
        #expect(writer.isOverLimit == !areCollected)
        #expect((grants.requests > 1) == areCollected)
    }

    @Test func `an answer has the hints after its value`() {
        let text = "<r xmlns:i='http://www.w3.org/2001/XMLSchema-instance'><n i:type='xs:int'>1</n></r>"
        let answer = serialize(type: "application/xml", text) { $0.hints = true }
        #expect(answer.json?.contains(##"}}},"hints":{"/r/n/#text":"xs:int"},"upstream":{"##) == true)
    }

    /// Returns only the text of the hints.
    private func hints(
        _ text: String,
        _ layout: XMLReader.Options.Layout = .compact,
        _ configure: (inout SerializationOptions) -> Void = { _ in }
    ) -> String? {
        var options = SerializationOptions()
        options.hints = true
        configure(&options)
        var writer = JSONWriter()
        var warnings = WarningList(max: 100)
        let summary = try? XMLReader.read(
            Array(text.utf8).span,
            options: options.xmlOptions(layout, limits: Limits(), memory: .unlimited),
            into: &writer,
            warnings: &warnings
        )
        return summary?.hints.map { String(decoding: $0, as: UTF8.self) }
    }
}
