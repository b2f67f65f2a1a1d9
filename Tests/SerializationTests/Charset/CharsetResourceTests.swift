import Foundation
import Testing

@testable import Serialization

@Suite struct CharsetResourceTests {
    /// `scripts/generate-charsets` writes both files.
    @Test func `the embedded file has its recorded digest`() throws {
        let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..").standardized
        let path = root.appending(path: "Sources/CCharsets/charsets.bin.sha256")
        let recorded = try String(contentsOf: path, encoding: .utf8)
        let bytes = (0..<CharsetResource.file.count).map { CharsetResource.file[$0] }
        let digits = SHA256.digest(of: bytes.span).map { String(format: "%02x", $0) }.joined()
        #expect(recorded == "\(digits)  charsets.bin\n")
    }

    @Test func `exactly the supported charsets that are not encodings of Unicode have a table`() {
        let others: Set<Charset> = [
            .utf8, .utf16LittleEndian, .utf16BigEndian, .iso2022JP, .replacement, .userDefined,
        ]
        #expect(Set(CharsetResource.tables.keys) == Set(Charset.allCases).subtracting(others))
    }

    @Test func `an array outside the file is a programming error`() async {
        await #expect(processExitsWith: .failure) {
            _ = PackedArray<UInt32>(in: CharsetResource.file, at: CharsetResource.file.count - 3, count: 1)
        }
        await #expect(processExitsWith: .failure) {
            _ = PackedArray<UInt16>(in: CharsetResource.file, at: 8, count: 2)[2]
        }
    }
}
