import Batch
import Glibc
import Testing

@testable import Service

@Suite struct BatchSourceTests {
    @Test(arguments: [0, 5, 9, 10, 20]) func `a file that has become shorter is not complete`(length: Int) throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("0123456789", to: "a.ndjson")
        var source = try BatchSource(.file(path), progress: BatchProgress(inputBytes: [10]))
        try #require(truncate(path, length) == 0)
        var bytes: [UInt8] = []
        while try readsMore(&source, &bytes, isShort: length < 10) {}
        #expect(bytes.count == length)
    }

    private func readsMore(_ source: inout BatchSource, _ bytes: inout [UInt8], isShort: Bool) throws -> Bool {
        let count = bytes.count
        do throws(BatchInputError) {
            let isAtEnd = try source.read(4, into: &bytes) == 0
            if isAtEnd { #expect(!isShort) }
            return !isAtEnd
        } catch {
            guard case .system(let sentence) = error else { throw error }
            #expect(
                isShort && sentence.hasSuffix("/a.ndjson has become shorter while it was read") && bytes.count == count
            )
            return false
        }
    }
}
