import Testing

@testable import Images
@testable import Serialization

@Suite struct PerceptualHashTests {
    /// Compares with the hashes of Python's ImageHash for the same pixels. Its resizing differs, so a few bits may
    /// differ.
    @Test(arguments: [
        (DrawnPicture.discs, 64, 48, 0x80ff_3fc0_c887_8739 as UInt64),
        (.discs, 100, 75, 0x80fb_3fc8_c887_8739),
    ])
    func `is close to the hash of ImageHash`(picture: DrawnPicture, width: Int, height: Int, hash: UInt64) {
        #expect(distance(PerceptualHash.of(picture.sample(width, height)), hash) <= 4)
    }

    @Test(arguments: [(32, 32), (40, 30), (64, 48), (75, 100), (99, 98)])
    func `is stable if the picture is scaled or stretched`(width: Int, height: Int) {
        let hash = PerceptualHash.of(DrawnPicture.discs.sample(100, 75))
        #expect(distance(PerceptualHash.of(DrawnPicture.discs.sample(width, height)), hash) <= 6)
    }

    @Test func `is stable under small changes of values, as from recompression`() {
        let sample = DrawnPicture.discs.sample(100, 75)
        var state: UInt32 = 1
        let noisy = sample.pixels.indices.map { index -> UInt8 in
            guard index % 4 != 3 else { return sample.pixels[index] }
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(clamping: Int(sample.pixels[index]) + Int(state >> 28) - 8)
        }
        let hash = PerceptualHash.of(RGBAImage(width: 100, height: 75, pixels: noisy))
        #expect(distance(hash, PerceptualHash.of(sample)) <= 6)
    }

    @Test func `differs for different pictures`() {
        let discs = PerceptualHash.of(DrawnPicture.discs.sample(64, 48))
        let gradients = PerceptualHash.of(DrawnPicture.gradients.sample(64, 48))
        #expect(distance(discs, gradients) >= 16)
    }

    @Test(arguments: [(1, 1), (7, 100), (100, 33), (64, 64)])
    func `a uniform picture has its mean and no noise`(width: Int, height: Int) {
        let grey = RGBA(red: 119, green: 119, blue: 119)
        #expect(PerceptualHash.of(.flat(grey, width: width, height: height)) == 1 << 63)
    }

    private func distance(_ first: UInt64, _ second: UInt64) -> Int {
        (first ^ second).nonzeroBitCount
    }
}
