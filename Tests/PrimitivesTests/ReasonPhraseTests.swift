import Primitives
import Testing

@Suite struct ReasonPhraseTests {
    @Test(arguments: [
        (200, "OK"), (404, "Not Found"), (413, "Content Too Large"), (418, "Client Error"),
        (451, "Unavailable For Legal Reasons"),
        (199, "Informational"), (299, "Success"), (399, "Redirected"), (599, "Server Error"), (999, "Server Error"),
    ])
    func `is the registered phrase, or the name of the class`(status: Int, phrase: String) {
        #expect(ReasonPhrase.of(status) == phrase)
    }
}
