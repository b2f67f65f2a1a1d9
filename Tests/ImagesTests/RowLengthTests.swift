import CJPEG
import CPNG
import Testing

/// The wrappers around the image libraries write no row that is longer than the memory for it.
///
/// Their callers compute the length of rows from the header, which the library has read too. If the two disagreed, the
/// image would be rejected.
@Suite struct RowLengthTests {
    private static let side = 16
    private static let rowBytes = 4 * side
    private let pixels = [UInt8](repeating: 9, count: side * rowBytes)

    @Test(arguments: [(rowBytes, CPNG_DONE), (rowBytes - 1, CPNG_CORRUPT)])
    func `rows of a PNG are written only into rows of their length`(rowBytes: Int, expected: cpng_outcome) throws {
        var picture = cpng_picture(width: UInt32(Self.side), height: UInt32(Self.side), channels: 3, level: 1)
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        #expect(cpng_write(pixels, &picture, &written, &count) == CPNG_DONE)
        let content = try #require(written)
        defer { cpng_release(content) }
        let reader = try #require(cpng_open(1 << 20))
        defer { cpng_close(reader) }
        var header = cpng_header()
        #expect(cpng_read_header(reader, content, count, 0, &header) == CPNG_DONE)
        var rows = [UInt8](repeating: 0, count: Self.side * Self.rowBytes)
        var done: UInt32 = 0
        #expect(cpng_read_rows(reader, content, count, &rows, rowBytes, UInt32(Self.side), &done) == expected)
        #expect(done == (expected == CPNG_DONE ? 16 : 0))
        #expect(rows.contains { $0 != 0 } == (expected == CPNG_DONE))
    }

    @Test(arguments: [(rowBytes, CJPEG_DONE), (rowBytes - 1, CJPEG_COLOR_SPACE)])
    func `rows of a JPEG are written only into rows of their length`(rowBytes: Int, expected: cjpeg_outcome) throws {
        var picture = cjpeg_picture(width: UInt32(Self.side), height: UInt32(Self.side), is_grey: 0, quality: 90)
        var written: UnsafeMutablePointer<UInt8>?
        var count = 0
        #expect(cjpeg_write(pixels, &picture, &written, &count) == CJPEG_DONE)
        let content = try #require(written)
        defer { cjpeg_release(content) }
        let reader = try #require(cjpeg_open(1 << 20, 1, 0))
        defer { cjpeg_close(reader) }
        var header = cjpeg_header()
        #expect(cjpeg_read_header(reader, content, count, &header) == CJPEG_DONE)
        var (width, height): (UInt32, UInt32) = (0, 0)
        #expect(cjpeg_begin(reader, content, count, 1, 0, &width, &height) == CJPEG_DONE)
        var rows = [UInt8](repeating: 0, count: Self.side * Self.rowBytes)
        var done: UInt32 = 0
        #expect(cjpeg_read_rows(reader, content, count, &rows, rowBytes, UInt32(Self.side), &done) == expected)
        #expect(done == (expected == CJPEG_DONE ? 16 : 0))
        #expect(rows.contains { $0 != 0 } == (expected == CJPEG_DONE))
    }
}
