import Testing

@testable import Service

@Suite struct PageTitleTests {
    private static let pages: [(page: String, title: String?)] = [
        ("<title>Sign in</title>", "Sign in"),
        ("<!DOCTYPE html>\n<HTML><Head><TITLE lang='en'>\r\n\tBad \u{0} Gateway\n</Title>", "Bad Gateway"),
        ("<title>ends", "ends"),
        ("<title>Fehler – Störung</title>", "Fehler – Störung"),
        ("<title></title>", nil), ("<title> \n</title>", nil), ("<title", nil), ("<titlebar>x</titlebar>", nil),
        ("<titlebar>x</titlebar><title>y</title>", "y"), ("<<tit<title>a < b", "a"), ("<titl", nil), ("", nil),
        (String(repeating: " ", count: 16 << 10) + "<title>late</title>", nil),
        ("<title>" + String(repeating: "x", count: 65) + "</title>", String(repeating: "x", count: 61) + "…"),
    ]

    @Test(arguments: pages)
    func `the title is the text of the first title element at the beginning of the page`(page: String, title: String?) {
        #expect(PageTitle.of(Array(page.utf8).span) == title)
    }

    @Test func `a title in a legacy charset is shown with replacement characters`() {
        #expect(PageTitle.of((Array("<title>St".utf8) + [0xF6] + Array("rung</title>".utf8)).span) == "St\u{FFFD}rung")
    }
}
