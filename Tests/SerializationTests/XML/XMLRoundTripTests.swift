import Foundation
import Serialization
import TestSupport
import Testing

/// `xml-document` is lossless: XML rebuilt from it alone has the canonical form of the original. libxml2 creates the
/// canonical forms from its own trees.
@Suite struct XMLRoundTripTests {
    @Test(arguments: [
        "<a/>",
        "<?xml version='1.0' encoding='utf-8'?><!--before--><?go on?><a b='1'>x<!-- c -->&#13;y</a><!--after--><?end?>",
        "<a xmlns='u' xmlns:p='v' p:x='&#10;&#9;\"&amp;&lt;'><p:b xmlns:p=''/><b xmlns=''>]]&gt;</b></a>"
            .replacing(" xmlns:p=''", with: ""),
        "<!DOCTYPE a [<!ENTITY e '<b>&#38;amp;</b>'><!ATTLIST a d CDATA 'x' n NMTOKENS #IMPLIED>]>"
            + "<a n=' 1  2 '>&e;&e;</a>",
        "<a><![CDATA[<&]]><![CDATA[]]]]><![CDATA[>]]> \u{1F600}\u{FFFD}\u{85}\u{2028}</a>",
        "<p:a p:x='1' y='é'/>",
    ])
    func `a document is restored`(text: String) throws {
        try expectSame(Array(text.utf8), text)
    }

    /// ISO-8859-1 with bytes from 80 to 9F: libxml2 reads these as controls, this project as windows-1252, like the
    /// WHATWG.
    private static let readAsWindows1252: Set = [
        "rmt-010", "rmt-022", "rmt-023", "rmt-026", "rmt-027", "rmt-030", "rmt-031", "rmt-040", "rmt-046", "rmt-047",
    ]

    @Test(.needs(XMLSuite.folder))
    func `every well-formed document of the W3C's suite is restored`() throws {
        var compared = 0
        for test in XMLSuite.tests
        where ["valid", "invalid"].contains(test.type) && !Self.readAsWindows1252.contains(test.identifier) {
            if try expectSame(test.content, test.identifier) { compared += 1 }
        }
        // Of 1054; the others need external entities, or have no canonical form.
        #expect(compared >= 975)
    }

    @Test(.needs("xml/gofeed"), .needs("xml/zeep-soap"))
    func `feeds and SOAP messages are restored`() throws {
        var compared = 0
        for file in Suites.allFiles(in: "xml/gofeed") + Suites.allFiles(in: "xml/zeep-soap")
        where ["xml", "xsd", "wsdl"].contains(file.pathExtension) {
            if try expectSame(Array(Data(contentsOf: file)), file.lastPathComponent) { compared += 1 }
        }
        #expect(compared >= 547)
    }

    /// Returns whether the comparison was possible: the reader accepts the document, and it has a canonical form.
    @discardableResult
    private func expectSame(_ content: [UInt8], _ name: String) throws -> Bool {
        guard let reading = try? readXML(content, .document) else { return false }
        guard let canonical = XMLReference.canonical(content) else { return false }
        let rebuilt = try XMLRebuilding(reading.text).xml
        #expect(XMLReference.canonical(Array(rebuilt.utf8)) == canonical, "\(name)")
        return true
    }
}
