import Testing

@testable import Images
@testable import Serialization

@Suite struct XBMFactsTests {
    @Test func `a bitmap in C, with comments and a hotspot`() throws {
        let text = """
            /* Made by hand. */
            #define test_width 16
            #define test_height 7 /* rows */
            #define test_x_hot 3
            static unsigned char test_bits[] = {
               0x13, 0x00 };

            """
        #expect(
            try facts(.ascii(text)) == """
                {"format":"xbm","mediaType":"image/x-xbitmap","width":16,"height":7,"scale":1,"size":{"width":16,\
                "height":7},"color":{"model":"bilevel","channels":1,"bitsPerChannel":1,"alpha":false},\
                "coding":{"compression":"none"},\
                "frames":1,"integrity":{"verdict":"unchecked","checked":"header"},"decoded":"header"}
                """
        )
    }

    @Test func `an early end is truncated, a missing side is corrupt`() throws {
        let cut: [UInt8] = .ascii("#define a_width 8\n#define a_height 1\nstatic char a_bits[] = { 0x")
        #expect(try header(cut).integrity == ImageIntegrity(.truncated, checked: .structure, byte: cut.count))
        #expect(throws: ImageError(.truncated, at: 20)) { try header(.ascii("#define a_width 8\n#d")) }
        #expect(throws: ImageError(.corrupt(part: "size"), at: 0)) {
            try header(.ascii("#define a_width 8\nstatic char a_bits[] = { 0 };"))
        }
    }
}
