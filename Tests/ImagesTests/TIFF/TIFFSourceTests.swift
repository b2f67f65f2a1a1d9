import Foundation
import TestSupport
import Testing

@testable import Images
@testable import Serialization

@Suite struct TIFFSourceTests {
    // Tags: 256 width, 257 height, 258 bits, 259 compression, 262 photometric, 277 samples, 278 rows per strip, 284
    // planes, 320 colours, 322 and 323 tile, 338 extra samples.

    @Test(
        arguments: [
            (0, 1, [0b0100_0000, 0b1000_0000], ["ffffff", "000000", "000000", "ffffff"]),
            (1, 1, [0b0100_0000, 0b1000_0000], ["000000", "ffffff", "ffffff", "000000"]),
            (1, 2, [0b0001_0000, 0b1011_0000], ["000000", "555555", "aaaaaa", "ffffff"]),
            (1, 4, [0x0F, 0x84], ["000000", "ffffff", "888888", "444444"]),
            (1, 8, [0, 255, 128, 7], ["000000", "ffffff", "808080", "070707"]),
            (0, 8, [0, 255, 128, 7], ["ffffff", "000000", "7f7f7f", "f8f8f8"]),
        ] as [(Int, Int, [UInt8], [String])]
    )
    func `grey of every depth`(photometric: Int, bits: Int, data: [UInt8], pixels: [String]) throws {
        let half = data.count / 2
        let builder = page([258: [bits], 262: [photometric], 278: [1]], [Array(data[..<half]), Array(data[half...])])
        let picture = try decode(builder.content)
        #expect(picture.pixels == pixels)
        #expect(picture.integrity == ImageIntegrity(.complete, checked: .pixels))
    }

    @Test(arguments: [false, true])
    func `16 bits are kept, in either order of bytes`(isBigEndian: Bool) throws {
        let values = [0x0000, 0x1234, 0xFFFF, 0x00FF]
        let data: [UInt8] = values.flatMap { (value: Int) -> [UInt8] in
            let bytes = littleEndian(value, 2)
            return isBigEndian ? bytes.reversed() : bytes
        }
        var builder = page([258: [16], 262: [1]], [data])
        builder.isBigEndian = isBigEndian
        let picture = try decode(builder.content)
        #expect(picture.layout == .rgba16)
        let expected: [UInt8] = values.flatMap { (value: Int) -> [UInt8] in
            let grey = littleEndian(value, 2)
            return grey + grey + grey + [0xFF, 0xFF]
        }
        #expect(picture.bytes == expected)
    }

    /// Light of 0, ¼, ½, 1, 2 and -1, and NaN.
    @Test(
        arguments: [
            (16, [0, 0x3400, 0x3800, 0x3C00, 0x4000, 0xBC00, 0x7E00]),
            (32, [0, 0x3E80_0000, 0x3F00_0000, 0x3F80_0000, 0x4000_0000, 0xBF80_0000, 0x7FC0_0000]),
            (
                64,
                [
                    0, 0x3FD0_0000_0000_0000, 0x3FE0_0000_0000_0000, 0x3FF0_0000_0000_0000, 0x4000_0000_0000_0000,
                    0xBFF0_0000_0000_0000, 0x7FF8_0000_0000_0000,
                ]
            ),
        ] as [(Int, [UInt64])]
    )
    func `floating-point samples are light, and 1 is white`(bits: Int, values: [UInt64]) throws {
        for isBigEndian in [false, true] {
            let picture = try decode(grey(values, bits: bits, format: 3, isBigEndian: isBigEndian))
            #expect(greys(picture) == [0, 35_199, 48_192, 65_535, 65_535, 0, 0])
        }
    }

    @Test func `the smallest half-precision numbers are almost black, and infinity is white`() throws {
        let picture = try decode(grey([1, 0x03FF, 0x7C00, 0xFC00], bits: 16, format: 3))
        // 1023 × 2⁻²⁴ is 4 of 65535; the first factor of the curve is 12.92.
        #expect(greys(picture) == [0, 52, 65_535, 0])
    }

    @Test(
        arguments: [
            (8, [0, 127, 64, 0xFF, 0x80], [0, 255, 129, 0, 0]),
            (16, [0, 0x7FFF, 0x4000, 0xFFFF, 0x8000], [0, 65_535, 32_769, 0, 0]),
            (24, [0, 0x7F_FFFF, 0x40_0000, 0xFF_FFFF, 0x80_0000], [0, 65_535, 32_769, 0, 0]),
            (32, [0, 0x7FFF_FFFF, 0x4000_0000, 0xFFFF_FFFF, 0x8000_0000], [0, 65_535, 32_769, 0, 0]),
            (
                64, [0, 0x7FFF_FFFF_FFFF_FFFF, 0x4000_0000_0000_0000, .max, 0x8000_0000_0000_0000],
                [0, 65_535, 32_769, 0, 0]
            ),
        ] as [(Int, [UInt64], [Int])]
    )
    func `signed samples are black up to 0, and the largest is white`(
        bits: Int,
        values: [UInt64],
        expected: [Int]
    ) throws {
        for isBigEndian in [false, true] {
            let picture = try decode(grey(values, bits: bits, format: 2, isBigEndian: isBigEndian))
            #expect(greys(picture) == expected)
        }
    }

    @Test(
        arguments: [
            (24, [0, 0xFF_FFFF, 0x12_3456]), (32, [0, 0xFFFF_FFFF, 0x1234_5678]),
            (64, [0, .max, 0x1234_5678_9ABC_DEF0]),
        ] as [(Int, [UInt64])]
    )
    func `of longer samples the highest 16 bits are kept`(bits: Int, values: [UInt64]) throws {
        for isBigEndian in [false, true] {
            let picture = try decode(grey(values, bits: bits, format: 1, isBigEndian: isBigEndian))
            #expect(greys(picture) == [0, 0xFFFF, 0x1234])
        }
    }

    @Test func `floating-point colours with alpha, multiplied or not`() throws {
        let values: [Float] = [0.5, 0.25, 0, 0.5]
        let data = values.flatMap { littleEndian(Int($0.bitPattern), 4) }
        var tags = [258: [32, 32, 32, 32], 262: [2], 277: [4], 338: [2], 339: [3, 3, 3, 3]]
        let straight = try decode(page(tags, [data], width: 1, height: 1).content)
        #expect(words(straight) == [48_192, 35_199, 0, 32_768])
        tags[338] = [1]
        // They are divided by alpha before they are converted to sRGB.
        let multiplied = try decode(page(tags, [data], width: 1, height: 1).content)
        #expect(words(multiplied) == [65_535, 48_192, 0, 32_768])
    }

    /// White, black, a grey, the red of sRGB, and a blue.
    @Test(
        arguments: [
            (8, 8, [[255, 0, 0], [0, 0, 0], [137, 0, 0], [138, 81, 70], [76, 68, 0x90]]),
            (9, 8, [[255, 128, 128], [0, 128, 128], [137, 128, 128], [138, 209, 198], [76, 196, 16]]),
            (
                8, 16,
                [[65_535, 0, 0], [0, 0, 0], [35_209, 0, 0], [35_566, 20_690, 17_894], [19_372, 17_484, 0x9008]]
            ),
            (
                9, 16,
                [
                    [0xFF00, 0x8000, 0x8000], [0, 0x8000, 0x8000], [35_072, 0x8000, 0x8000], [35_428, 53_458, 50_662],
                    [19_297, 50_252, 4_104],
                ]
            ),
        ] as [(Int, Int, [[Int]])]
    )
    func `Lab is converted to sRGB`(photometric: Int, bits: Int, colors: [[Int]]) throws {
        let data = colors.flatMap { $0 }.flatMap { littleEndian($0, bits / 8) }
        let tags = [258: [bits, bits, bits], 262: [photometric], 277: [3]]
        let picture = try decode(page(tags, [data], width: colors.count, height: 1).content)
        let found = words(picture).map { ($0 + 128) / 257 }
        // The results of Little CMS, within the precision of 8 bits for Lab.
        let expected = [255, 255, 255, 255, 0, 0, 0, 255, 128, 128, 128, 255, 255, 0, 0, 255, 0, 0, 254, 255]
        for (found, expected) in zip(found, expected) { #expect(abs(found - expected) <= 3) }
        #expect(found.count == expected.count)
    }

    @Test func `colours of a palette`() throws {
        let red = [0, 0xFFFF, 0, 0] + [Int](repeating: 0, count: 12)
        let green = [0, 0, 0x8000, 0] + [Int](repeating: 0, count: 12)
        let blue = [0, 0, 0, 0x1200] + [Int](repeating: 0, count: 12)
        let builder = page([258: [4], 262: [3], 320: red + green + blue], [[0x01, 0x23]])
        #expect(try decode(builder.content).pixels == ["000000", "ff0000", "008000", "000012"])
    }

    @Test(
        arguments: [
            (nil, ["0a141e", "28323c", "000000", "ffffff"]),
            (0, ["0a141e", "28323c", "000000", "ffffff"]),
            (2, ["0a141e80", "28323cff", "00000000", "ffffffff"]),
            // Multiplied by alpha: half of 20 is 10.
            (1, ["14283c80", "28323cff", "00000000", "ffffffff"]),
        ] as [(Int?, [String])]
    )
    func `an extra sample is alpha if it is declared`(kind: Int?, pixels: [String]) throws {
        var data: [UInt8] = [10, 20, 30, 128, 40, 50, 60, 255, 0, 0, 0, 0, 255, 255, 255, 255]
        var tags = [258: [8, 8, 8, 8], 262: [2], 277: [4]]
        if let kind {
            tags[338] = [kind]
        } else {
            data = data.indices.filter { $0 % 4 != 3 }.map { data[$0] }
            tags[258] = [8, 8, 8]
            tags[277] = [3]
        }
        #expect(try decode(page(tags, [data]).content).pixels == pixels)
    }

    @Test func `CMYK is returned as in JPEG: 255 is no ink`() throws {
        let data: [UInt8] = [0, 0, 0, 0, 255, 0, 10, 0, 1, 2, 3, 4, 0, 0, 0, 255]
        let picture = try decode(page([258: [8, 8, 8, 8], 262: [5], 277: [4]], [data]).content)
        #expect(picture.layout == .cmyk8)
        #expect(picture.bytes == data.map { 255 - $0 })
    }

    @Test func `planes are combined`() throws {
        let data: [[UInt8]] = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
        let builder = page([258: [8, 8, 8], 262: [2], 277: [3], 284: [2]], data)
        #expect(try decode(builder.content).pixels == ["010509", "02060a", "03070b", "04080c"])
    }

    @Test func `only the first of hundreds of planes are used`() throws {
        let data = (0..<300).map { (plane: Int) -> [UInt8] in [UInt8](repeating: UInt8(plane & 255), count: 4) }
        let kinds = [Int](repeating: 0, count: 296) + [2]
        let bits = [Int](repeating: 8, count: 300)
        let builder = page([258: bits, 262: [2], 277: [300], 284: [2], 338: kinds], data)
        #expect(try decode(builder.content).pixels == ["000102", "000102", "000102", "000102"])
    }

    @Test func `tiles are combined and cropped at the edge`() throws {
        // Two by two tiles of 16 × 16 for 20 × 18 pixels: each pixel's value is x + y.
        let starts = [0, 16, 16, 32]
        let tiles: [[UInt8]] = starts.map { start in
            (0..<256).map { (index: Int) -> UInt8 in UInt8(start + index % 16 + index / 16) }
        }
        var builder = page([258: [8], 262: [1], 322: [16], 323: [16]], tiles, width: 20, height: 18)
        builder.isTiled = true
        let picture = try decode(builder.content)
        let values = picture.reds.map { Int($0) }
        let expected = (0..<360).map { (index: Int) -> Int in index % 20 + index / 20 }
        #expect(values == expected)
    }

    @Test func `PackBits runs are decoded`() throws {
        // Two literal bytes, then a run of two 7s.
        let builder = page([258: [8], 259: [32773], 262: [1]], [[1, 9, 8, 0xFF, 7]])
        #expect(try decode(builder.content).pixels == ["090909", "080808", "070707", "070707"])
    }

    // MARK: Damage

    @Test func `a PackBits run that leaves its row is corrupt`() throws {
        let tags = [258: [8], 259: [32773], 262: [1]]
        // The library discards the end of the run with a warning, and decodes the next row from what follows.
        for data: [UInt8] in [[0xFE, 9, 0xFF, 7], [2, 1, 2, 3, 0xFF, 7]] {
            #expect(!isComplete(page(tags, [data]).content), "\(data)")
        }
        #expect(isComplete(page(tags, [[0xFF, 9, 0xFF, 7]]).content))
    }

    @Test func `a fax row of another length is corrupt`() throws {
        let tags = [258: [1], 259: [4], 262: [0]]
        // T.6: a vertical code for each white row, and the end of the block.
        #expect(isComplete(page(tags, [[0xC0, 0x04, 0x00, 0x40]], width: 8).content))
        // Horizontal: eight white pixels and two black ones.
        #expect(!isComplete(page(tags, [[0x33, 0xE0, 0x02, 0x00, 0x20]], width: 8).content))
    }

    private func isComplete(_ content: [UInt8]) -> Bool {
        (try? decode(content))?.integrity.verdict == .complete
    }

    @Test func `a strip beyond the end of the content is truncated`() throws {
        var builder = page([258: [8], 262: [1], 278: [1]], [[1, 2], [3, 4]])
        let whole = builder.content
        builder.data[1] = []
        var content = builder.content
        // The second strip begins at the end of the content.
        content = patched(content, 273, 1, with: whole.count)
        content = patched(content, 279, 1, with: 2)
        let picture = try decode(content)
        #expect(picture.pixels == ["010101", "020202"])
        #expect(picture.integrity == ImageIntegrity(.truncated, checked: .pixels, byte: content.count))
    }

    @Test func `truncation at any offset is reported, unless the data is unused`() throws {
        let whole = page([258: [8, 8, 8], 262: [2], 277: [3]], [(0..<12).map { UInt8($0) }]).content
        for count in 0..<whole.count {
            do throws(RenderingError) {
                let picture = try decode(Array(whole[..<count]))
                #expect(picture.integrity.verdict != .complete || picture.pixels.count == 4, "\(count)")
            } catch {
                #expect(error == .truncated(byte: count) || error == .corrupt(byte: 20, part: "directory"), "\(count)")
            }
        }
    }

    @Test func `data that does not form a strip is corrupt`() throws {
        // A run that is longer than the strip.
        let builder = page([258: [8], 259: [5], 262: [1]], [[0xFF, 0xFF, 0xFF, 0xFF]])
        let integrity = try decode(builder.content).integrity
        #expect(integrity == ImageIntegrity(.corrupt, checked: .pixels, byte: 8, part: "strip"))
    }

    @Test func `a strip that the directory does not list is an error of the directory`() throws {
        var builder = page([258: [8], 262: [1], 278: [1]], [[1, 2], [3, 4]])
        builder.tags[257] = [3]
        #expect(
            try decode(builder.content).integrity
                == ImageIntegrity(.corrupt, checked: .pixels, byte: 12, part: "directory")
        )
        builder.tags[256] = [0]
        #expect(throws: RenderingError.corrupt(byte: 12, part: "directory")) { try decode(builder.content) }
    }

    @Test(arguments: [
        ([258: [32], 262: [1], 339: [6]], "complex samples"),
        ([258: [24], 262: [1], 339: [3]], "samples with this number of bits"),
        ([258: [12], 262: [1], 339: [2]], "samples with this number of bits"),
        ([258: [20], 262: [1]], "samples with this number of bits"),
        (
            [258: [8], 262: [3], 320: [Int](repeating: 0, count: 768), 339: [2]],
            "signed or floating-point samples in this colour space"
        ),
        ([258: [32, 32, 32], 262: [8], 277: [3], 339: [3]], "signed or floating-point samples in this colour space"),
        ([258: [8], 259: [65000], 262: [1]], "this compression of TIFF"),
        ([258: [8, 8, 8, 8], 262: [5], 277: [4], 332: [2]], "inks other than CMYK"),
    ])
    func `an unsupported format is named`(tags: [Int: [Int]], feature: String) {
        let content = page(tags, [[UInt8](repeating: 0, count: 64)]).content
        #expect(throws: RenderingError.unsupported(feature: feature)) { try decode(content) }
    }

    @Test func `the memory limit is checked before allocation`() throws {
        let builder = page([258: [8], 262: [1], 322: [16_384], 323: [16_384]], [[0]], width: 16_384, height: 16_384)
        var tiled = builder
        tiled.isTiled = true
        #expect(throws: RenderingError.self) { try decode(tiled.content, maxMemoryBytes: 64 << 20) }
    }

    /// The SHA-256 of the pixels from Pillow.
    @Test(
        .needs("images/image-tiff"),
        arguments: [
            ("big_g4.tif", "1cfc896c75f9d8ff25922cdf8d661a3f2c757c792c8aab1709c1473bc2c97de3"),
            ("bigtiff/BigTIFF.tif", "f4ef74cca30aace62b5fb1eb997cd557cb6711d8d4cc3cf5f4c4c9a3b3b354ab"),
            ("bigtiff/BigTIFFLong.tif", "f4ef74cca30aace62b5fb1eb997cd557cb6711d8d4cc3cf5f4c4c9a3b3b354ab"),
            ("extra_bits_gray_8b.tiff", "2c893cd47b6757133987906e00c55e6dcce3c567b9df9e7f91ffecd3604cc6a6"),
            ("extra_bits_rgb_8b.tiff", "2c893cd47b6757133987906e00c55e6dcce3c567b9df9e7f91ffecd3604cc6a6"),
            ("fax4.tiff", "09d8827c08219f9ab4995beee670cffba15a3a809454fdc053e8e7398a01e545"),
            ("imagemagick_group4.tiff", "34f222887c35c7243dae41afdc2fceb343ad40a05fe47f9408724322e3ba74aa"),
            ("minisblack-1c-8b.tiff", "14bf71db2bd3600a8c1042b26b8cd66fb4ba3348a8cecce03d94f3f91c3654ea"),
            ("miniswhite-1c-1b.tiff", "336677ac81ad8ead78577cae522091d337d56f1c64b7039ea3d3af8523ae9a4b"),
            ("palette-1c-1b.tiff", "336677ac81ad8ead78577cae522091d337d56f1c64b7039ea3d3af8523ae9a4b"),
            ("palette-1c-4b.tiff", "781896edecabbace4fe45d1438b562986bb4fa1e9df194392ead62c494a45f82"),
            ("palette-1c-8b.tiff", "e5bc2cb04dfaf1591a505d79aa96c9f0c4d9f4c71043084653561655f4bfb823"),
            ("quad-lzw-compat.tiff", "2d61331a067c19410995e1e3d01cb03fd57cc03b4f9405ee487ae2341f16288c"),
            ("quad-tile.jpg.tiff", "2bd077bee23db8bfcb341c0589dbc0c01c3bf898597805cb3b7f811bd2c0890d"),
            ("rgb-3c-8b.tiff", "e862a633fc5a7ab51d6aa345102954ffb0d14218d5a770b368a077bf5edf073d"),
            ("seq/seq-1c-1b-71f6a21a.tiff", "29f9f962b45c33c1badbceb5e7e29421d6dfa3bc7674c627b6a52f26db9644c3"),
            ("seq/seq-1c-1b-fax3-71f6a21a.tiff", "29f9f962b45c33c1badbceb5e7e29421d6dfa3bc7674c627b6a52f26db9644c3"),
            (
                "seq/seq-1c-1b-fax3-fillbits-71f6a21a.tiff",
                "29f9f962b45c33c1badbceb5e7e29421d6dfa3bc7674c627b6a52f26db9644c3"
            ),
            (
                "seq/seq-1c-1b-fax3-lsb-71f6a21a.tiff",
                "29f9f962b45c33c1badbceb5e7e29421d6dfa3bc7674c627b6a52f26db9644c3"
            ),
            (
                "seq/seq-1c-1b-miniswhite-71f6a21a.tiff",
                "29f9f962b45c33c1badbceb5e7e29421d6dfa3bc7674c627b6a52f26db9644c3"
            ),
            ("seq/seq-1c-2b-58b25f76.tiff", "23edeb4bb4c42ae80c5469caf36458c2848c3992925f0af60db932567c483ff8"),
            ("seq/seq-1c-4b-fb92dcae.tiff", "4102f1f43e1317510566b1b500d99cd300730f0a75d7e6274165936a82e1f9a1"),
            (
                "seq/seq-1c-4b-miniswhite-fb92dcae.tiff",
                "4102f1f43e1317510566b1b500d99cd300730f0a75d7e6274165936a82e1f9a1"
            ),
            ("seq/seq-1c-4b-palette-85108c5a.tiff", "effe388cae0d198ca20e1d70b60407709c8b4b89a92726eec5a60251cffe13bb"),
            (
                "seq/seq-1c-8b-bigendian-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            ("seq/seq-1c-8b-bigtiff-20f3db0c.tiff", "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"),
            ("seq/seq-1c-8b-deflate-20f3db0c.tiff", "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"),
            ("seq/seq-1c-8b-lzw-20f3db0c.tiff", "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"),
            (
                "seq/seq-1c-8b-lzw-hpredict-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-1c-8b-multipage-adeefdcc.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-1c-8b-multistrip-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-1c-8b-packbits-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            ("seq/seq-1c-8b-palette-89b39bc3.tiff", "edcf20e695872b9939c80a269698bc7b397858fa105a0266be3591ce1b97999c"),
            ("seq/seq-1c-8b-tiled-20f3db0c.tiff", "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"),
            (
                "seq/seq-1c-8b-tiled-bigtiff-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-1c-8b-tiled-deflate-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-1c-8b-tiled-lzw-20f3db0c.tiff",
                "f7721524360322232937cff69886be54d18f94dc172627061757855971b5db36"
            ),
            (
                "seq/seq-3c-8b-bigendian-8743c999.tiff",
                "e80093049334463339249ae02c5338cb6e255a6053f3bfb8bc5170727ec9526d"
            ),
            ("seq/seq-3c-8b-lzw-8743c999.tiff", "e80093049334463339249ae02c5338cb6e255a6053f3bfb8bc5170727ec9526d"),
            (
                "seq/seq-3c-8b-multistrip-8743c999.tiff",
                "e80093049334463339249ae02c5338cb6e255a6053f3bfb8bc5170727ec9526d"
            ),
            ("seq/seq-3c-8b-tiled-8743c999.tiff", "e80093049334463339249ae02c5338cb6e255a6053f3bfb8bc5170727ec9526d"),
            (
                "seq/seq-4c-8b-rgba-unassoc-50969cda.tiff",
                "785b0751fc2c53dc14a4ce3d800e69ef9ce1009eb327ccf458afe09c242c26c9"
            ),
            ("tiled-gray-i1.tif", "0da8b811743beaffdbe71e5d2adaf539938b647437f0cbd07078a79d4139424c"),
            ("tiled-jpeg-rgb-u8.tif", "e4778f67c11c47819ca9040145119aa5b2e67bc33a2bfa30be5d15a5353afb51"),
            ("tiled-jpeg-ycbcr.tif", "59ab54a01dde64bb030512df26af9526829d7b7f522d1201ba855ce1ca0c5baa"),
        ]
    )
    func `pictures of the image-tiff project have the pixels that Pillow sees`(name: String, digest: String) throws {
        let url = Suites.url("images/image-tiff/images/\(name)")
        let picture = try decode(Array(Data(contentsOf: url)))
        let hash = SHA256.digest(of: picture.rgba.span)
        #expect(hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == digest)
    }

    // MARK: Support

    /// Returns one row of grey pixels.
    private func grey(_ values: [UInt64], bits: Int, format: Int, isBigEndian: Bool = false) -> [UInt8] {
        let data: [UInt8] = values.flatMap { (value: UInt64) -> [UInt8] in
            let bytes = littleEndian(Int(truncatingIfNeeded: value), bits / 8)
            return isBigEndian ? bytes.reversed() : bytes
        }
        var builder = page([258: [bits], 262: [1], 339: [format]], [data], width: values.count, height: 1)
        builder.isBigEndian = isBigEndian
        return builder.content
    }

    /// Returns the red of each pixel, which equals its green and blue.
    private func greys(_ picture: DecodedPicture) -> [Int] {
        picture.layout == .rgba16
            ? stride(from: 0, to: words(picture).count, by: 4).map { words(picture)[$0] }
            : picture.reds.map { Int($0) }
    }

    private func words(_ picture: DecodedPicture) -> [Int] {
        stride(from: 0, to: picture.bytes.count, by: 2).map { Int(picture.bytes[$0]) | Int(picture.bytes[$0 + 1]) << 8 }
    }

    /// Returns a page of two by two pixels, unless specified otherwise.
    private func page(_ tags: [Int: [Int]], _ data: [[UInt8]], width: Int = 2, height: Int = 2) -> TIFFBuilder {
        var all = [256: [width], 257: [height], 259: [1], 277: [1], 278: [height]]
        if tags[322] != nil { all[278] = nil }
        all.merge(tags) { $1 }
        return TIFFBuilder(tags: all, data: data)
    }

    /// Returns the content with another number in a tag's list of shorts, which is in its entry or elsewhere.
    private func patched(_ content: [UInt8], _ tag: Int, _ index: Int, with number: Int) -> [UInt8] {
        var content = content
        let directory = Int(content[4]) | Int(content[5]) << 8
        for entry in 0..<Int(content[directory]) {
            let start = directory + 2 + 12 * entry
            guard Int(content[start]) | Int(content[start + 1]) << 8 == tag else { continue }
            content.replaceSubrange(start + 8 + 2 * index..<start + 10 + 2 * index, with: littleEndian(number, 2))
        }
        return content
    }

    private func decode(_ content: [UInt8], maxMemoryBytes: Int = 64 << 20) throws(RenderingError) -> DecodedPicture {
        var source = try TIFFSource(content.span, RenderingRequest(.tiff))
        return try DecodedPicture(content, from: &source, maxMemoryBytes: maxMemoryBytes)
    }
}
