import Testing

@testable import Service

@Suite struct InstanceTests {
    @Test(arguments: ["0190163D-8694-739B-AEA5-966C26F8AD91", "0190163d8694739baea5966c26f8ad91"])
    func `a request identifier that is a UUID identifies the occurrence`(id: String) {
        #expect(Instance.urn(requestID: id) == "urn:uuid:0190163d-8694-739b-aea5-966c26f8ad91")
    }

    @Test(arguments: [
        "", "abc", "0190163d-8694-739b-aea5-966c26f8ad9g", "0190163d8694-739b-aea5-966c26f8ad91-",
        "0190163d8694739baea5966c26f8ad9",
    ])
    func `any other request identifier results in a random UUID of version 4`(id: String) throws {
        let urn = Instance.urn(requestID: id)
        #expect(
            urn.wholeMatch(of: /urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil
        )
        #expect(urn != Instance.urn(requestID: id))
    }
}
