import Testing

@testable import Images
@testable import Serialization

@Suite struct XBMSourceTests {
    private static let text = """
        /* an eye { */ #define eye_width 10
        #define eye_height 2
        #define eye_x_hot 1
        static unsigned char eye_bits[] = {
           0x05, 0x02, 255, 03, };

        """

    private static let rows = ["#.#......#", "##########"]

    @Test func `ones are black, the lowest bit is the leftmost`() throws {
        let picture = try decode(Self.text)
        #expect(rows(picture) == Self.rows)
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
    }

    @Test func `X version 10 has shorts`() throws {
        let picture = try decode(
            """
            #define eye_width 10
            #define eye_height 2
            static short eye_bits[] = { 0x0205, 0x3FF };
            """
        )
        #expect(rows(picture) == Self.rows)
    }

    @Test func `truncation at any offset is reported`() throws {
        let end = Self.text.utf8.count - 2
        for count in 0..<end - 1 {
            let content = String(decoding: Array(Self.text.utf8)[..<count], as: UTF8.self)
            do throws(RenderingError) {
                let integrity = try decode(content).integrity
                #expect(integrity == ImageIntegrity(.truncated, checked: .pixels, byte: count), "\(count)")
            } catch {
                // A truncated number is a different side, and a missing one has no name.
                #expect(error == .truncated(byte: count) || error == .corrupt(byte: count, part: "size"), "\(count)")
            }
        }
    }

    @Test(arguments: [
        ("0x05, 0x02, 0xFF, x }", "numbers"), ("0x05, 0x02, 256, 3 }", "numbers"), ("1, 2, 3, 4, 5 }", "numbers"),
        ("1, 2, 3, 99999999999999999999999 }", "numbers"), ("1, 2, 3 }", "numbers"),
    ])
    func `impossible numbers are corrupt`(numbers: String, part: String) throws {
        let head = "#define a_width 10\n#define a_height 2\nstatic char a_bits[] = { "
        let integrity = try decode(head + numbers).integrity
        #expect(integrity.verdict == .corrupt)
        #expect(integrity.part == part)
    }

    @Test(arguments: ["0", "65536", "x", "-1", "99999999999999999999"])
    func `an impossible side is corrupt`(side: String) {
        let text = "#define a_width \(side)\n#define a_height 2\nstatic char a_bits[] = { 0 };"
        #expect(throws: RenderingError.corrupt(byte: 16, part: "size")) { try decode(text) }
    }

    @Test func `trailing bytes are reported`() throws {
        let integrity = try decode(Self.text + "int x;").integrity
        #expect(integrity == ImageIntegrity(.trailingBytes, checked: .pixels, byte: Self.text.utf8.count))
    }

    private func rows(_ picture: DecodedPicture) -> [String] {
        (0..<picture.height).map { y in
            picture.pixels[y * picture.width..<(y + 1) * picture.width].map { $0 == "000000" ? "#" : "." }.joined()
        }
    }

    private func decode(_ text: String) throws(RenderingError) -> DecodedPicture {
        let content = Array(text.utf8)
        var source = try XBMSource(content.span)
        return try DecodedPicture(content, from: &source)
    }
}
