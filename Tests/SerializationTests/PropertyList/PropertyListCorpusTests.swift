import Foundation
import Serialization
import TestSupport
import Testing

/// Valid, unusual and hostile files from other projects: each results in a value or a located error, in milliseconds.
struct PropertyListCorpusTests {
    @Test(.needs("plist"), arguments: files(in: "plist/rust-plist") + files(in: "plist/go-plist"))
    func `handles every file of other projects quickly`(file: URL) throws {
        try expectQuickResult(file)
    }

    @Test(.needs("plist/cpython-plistlib"), arguments: files(in: "plist/cpython-plistlib"))
    func `handles every file of CPython's tests quickly`(file: URL) throws {
        try expectQuickResult(file)
    }

    @Test(.needs("own-adversarial"), arguments: files(in: "own-adversarial"))
    func `handles every hostile file quickly`(file: URL) throws {
        try expectQuickResult(file)
    }

    private static func files(in path: String) -> [URL] {
        Suites.allFiles(in: path).filter { ["plist", "bplist", "pbxproj"].contains($0.pathExtension) }
    }

    private func expectQuickResult(_ file: URL) throws {
        let content = Array(try Data(contentsOf: file))
        var outcome = ""
        let time = processorTime {
            for archive in ArchivePolicy.allCases {
                do throws(PropertyListError) {
                    let reading = try readPropertyList(content) { $0.archive = archive }
                    outcome = "value"
                    let isJSON =
                        (try? JSONSerialization.jsonObject(with: Data(reading.text.utf8), options: .fragmentsAllowed))
                        != nil
                    #expect(isJSON)
                } catch {
                    outcome = "\(error.reason)"
                }
            }
        }
        // It takes milliseconds in a release build; this is a debug build, and reads twice.
        #expect(time < .seconds(10))
        let name = file.lastPathComponent
        if name.hasPrefix("invalid_") { #expect(outcome != "value") }
        if let expected = Self.outcomes[name] { #expect(outcome.hasPrefix(expected)) }
    }

    private static let outcomes = [
        "cyc2.bplist": "cycle", "selfarr.bplist": "cycle", "selfdict.bplist": "cycle",
        "dag60.bplist": "expansionTooLarge",
        "deep5000.bplist": "nestingTooDeep", "deep60000.bplist": "nestingTooDeep",
        "fan10x8.bplist": "expansionTooLarge",
        "nsurl-plistlib.bplist": "value", "testdata_FMT_BINARY.plist": "value", "testdata_FMT_XML.plist": "value",
        "testdata_KEYED_ARCHIVE.plist": "value", "xml_plist_with_entity.plist": "value", "binary.plist": "value",
        "binary_NSKeyedArchiver.plist": "value", "binary_circular_array.plist": "invalidTrailer",
        "binary_zero_offset_size.plist": "invalidTrailer", "ascii-animals.plist": "value",
        "ascii-sample.plist": "value",
        "netnewswire.pbxproj": "value", "utf16_bplist.plist": "value", "xml.plist": "value", "s11.plist": "value",
    ]
}
