import Testing

@testable import Images
@testable import Serialization

@Suite struct ThumbHashTests {
    /// Computed by another program from the author's description (evanw/thumbhash) for the same pixels.
    @Test(arguments: [
        (DrawnPicture.gradients, 40, 30, "98770e359a85878760787888877777886f67088779"),
        (.gradients, 21, 64, "d8770e321a856088787788876f67088879"),
        (.fading, 40, 30, "9377861c8a38838750787277f7757970688887f78878888807"),
        (.discs, 64, 48, "98c905659c5062779c988851a9a979897b6f750647"),
        (.discs, 100, 75, "98c905659c5062779c888841a9a979897b6f750647"),
    ])
    func `equals the result of the description`(picture: DrawnPicture, width: Int, height: Int, hash: String) {
        let bytes = ThumbHash.encode(picture.sample(width, height))
        #expect(bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() == hash)
    }

    @Test func `of one colour has a mean and no waves`() {
        let bytes = ThumbHash.encode(.flat(RGBA(red: 255, green: 255, blue: 255), width: 10, height: 10))
        // Luminance 63 of 63, no difference (32 of 63), seven columns for a square.
        #expect(bytes.prefix(5) == [0x3F, 0x08, 0x02, 0x07, 0x00])
        #expect(bytes.dropFirst(5).allSatisfy { $0 == 0 })
    }

    @Test func `is never longer than 25 bytes`() {
        for (width, height) in [(1, 1), (1, 100), (100, 1), (100, 100), (99, 57)] {
            for picture in DrawnPicture.allCases {
                #expect(ThumbHash.encode(picture.sample(width, height)).count <= 25)
            }
        }
    }
}
