import SerializationSupport
import Testing

@testable import Serialization

/// The lossless form.
@Suite struct XMLDocumentTests {
    @Test(arguments: [
        ("<a/>", #"{"root":{"name":"a"}}"#),
        (
            "<?xml version='1.0' encoding='utf-8' standalone='no'?><!DOCTYPE a PUBLIC 'p' 's'><!--x--><a/><?e f?>",
            #"{"version":"1.0","encoding":"utf-8","standalone":false,"doctype":{"name":"a","publicId":"p","#
                + #""systemId":"s"},"prolog":[{"comment":"x"}],"root":{"name":"a"},"epilog":[{"pi":["e","f"]}]}"#
        ),
        (
            "<o:order xmlns:o='urn:o' xmlns:x='urn:x' x:flag='true' id='7'> <i/>t<![CDATA[c]]><?p?></o:order>",
            #"{"root":{"name":"o:order","namespace":"urn:o","namespaces":[["o","urn:o"],["x","urn:x"]],"#
                + #""attributes":[{"name":"x:flag","namespace":"urn:x","value":"true"},{"name":"id","value":"7"}],"#
                + #""children":[" ",{"name":"i"},"t",{"cdata":"c"},{"pi":["p",""]}]}}"#
        ),
        (
            "<a xmlns='u'><b xmlns=''/></a>",
            #"{"root":{"name":"a","namespace":"u","namespaces":[["","u"]],"children":[{"name":"b","#
                + #""namespaces":[["",""]]}]}}"#
        ),
    ])
    func `all kinds of nodes are preserved`(text: String, json: String) {
        let result = serialize(type: "application/xml", text) {
            $0.view = .value
            $0.serializer = .one(.xmlDocument)
        }
        #expect(result.json == json)
    }
}
