import Foundation

/// The files of XML and property lists: a large public file, if it is here, and generated files of a megabyte each,
/// which resemble those of real services and are the same on every machine.
enum MarkupCorpus {
    static func files(in folder: URL) throws -> [BenchmarkFile] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        var files: [BenchmarkFile] = []
        if let url = PublicFile.url("perf/nes96.xml") {
            files.append(try BenchmarkFile(url: url))
        } else {
            print("Skipping nes96: `make suites` fetches it.")
        }
        let value = propertyList
        let made: [(String, Data)] = [
            ("feed.xml", Data(feed.utf8)),
            ("soap.xml", Data(soap.utf8)),
            ("small-elements.xml", Data(smallElements.utf8)),
            (
                "settings-xml.plist",
                try PropertyListSerialization.data(fromPropertyList: value, format: .xml, options: 0)
            ),
            (
                "settings-binary.bplist",
                try PropertyListSerialization.data(fromPropertyList: value, format: .binary, options: 0)
            ),
        ]
        for (name, content) in made {
            let url = folder.appending(path: name)
            try content.write(to: url)
            files.append(try BenchmarkFile(url: url))
        }
        return files
    }

    private static var feed: String {
        let items = (0..<2000).map { number in
            """
                <item>
                  <title>Ferry timetable \(number)</title>
                  <link>https://harbour.example/news/\(number)</link>
                  <description>&lt;p&gt;Two more crossings on &lt;b&gt;Sundays&lt;/b&gt; &amp;amp; holidays, says the \
            harbour office in a text of some length, as feeds have it.&lt;/p&gt;</description>
                  <category domain="https://harbour.example/topics">Timetables</category>
                  <guid isPermaLink="false">harbour-\(number)</guid>
                  <pubDate>Fri, 20 Nov 2026 07:30:00 GMT</pubDate>
                </item>

            """
        }
        return "<?xml version=\"1.0\"?>\n<rss version=\"2.0\"><channel><title>Harbour</title>\n" + items.joined()
            + "</channel></rss>\n"
    }

    private static var soap: String {
        var berths = ""
        for number in 0..<6000 {
            berths += "<m:berth number=\"\(number)\"><m:length xsi:type=\"xsd:decimal\">\(number).50</m:length>"
            berths += "<m:ship>Aurora \(number)</m:ship><m:free>true</m:free></m:berth>"
        }
        return "<soap:Envelope xmlns:soap=\"http://schemas.xmlsoap.org/soap/envelope/\" "
            + "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\"><soap:Body><m:Berths xmlns:m=\"urn:berths\">"
            + berths + "</m:Berths></soap:Body></soap:Envelope>"
    }

    private static var smallElements: String {
        "<a>" + (0..<80_000).map { "<b>\($0)</b>" }.joined() + "</a>"
    }

    /// Contains only types that JSON has, so that Foundation can write it.
    private static var propertyList: [String: Any] {
        var berths: [[String: Any]] = []
        for number in 0..<6000 {
            var berth: [String: Any] = ["number": number, "length": Double(number) / 8, "free": number % 3 == 0]
            berth["ship"] = "Aurora \(number)"
            berth["stays"] = [number, number + 1, number + 2]
            berth["captain"] = "Ines Møller"
            berths.append(berth)
        }
        return ["berths": berths, "harbour": "North"]
    }
}
