import Testing

@testable import Images
@testable import Serialization

@Suite struct PictureColorsTests {
    private let red = RGBA(red: 200, green: 10, blue: 20)
    private let blue = RGBA(red: 0, green: 30, blue: 250)
    private let clear = RGBA(red: 1, green: 2, blue: 3, alpha: 0)

    @Test func `the average counts every pixel by its alpha`() {
        let half = RGBA(red: 100, green: 100, blue: 100, alpha: 51)
        let sample = row([RGBA(red: 0, green: 50, blue: 100), half])
        // (0 × 255 + 100 × 51) / 306, …
        #expect(sample.average == RGBA(red: 17, green: 58, blue: 100, alpha: 153))
        #expect(row([clear, clear]).average == RGBA(red: 0, green: 0, blue: 0, alpha: 0))
    }

    @Test func `the dominant colour is the most frequent, not the mean`() {
        #expect(row([red, red, blue, red, clear, clear, clear, clear]).dominant == red)
        #expect(row([clear]).dominant == nil)
    }

    @Test func `the palette contains the colours, the most frequent first`() {
        #expect(row([blue, red, blue, clear, blue, red]).palette == [blue, red])
        #expect(row([clear]).palette == [])
        #expect(row([red]).palette == [red])
        // Their rounded mean is the greater one.
        let near = RGBA(red: 201, green: 10, blue: 20)
        #expect(row([red, near, near]).palette == [near, red])
    }

    @Test func `the palette of many colours has six that are close to all`() {
        let sample = DrawnPicture.discs.sample(64, 48)
        let palette = sample.palette
        #expect(palette.count == ColorPalette.maxColors)
        #expect(Set(palette).count == palette.count)
        func error(_ colors: [RGBA]) -> Int {
            (0..<sample.pixelCount).reduce(0) { sum, index in
                sum + (colors.map { distance($0, sample[index]) }.min() ?? 0)
            }
        }
        #expect(error(palette) * 4 < error([sample.average]))
    }

    private func row(_ colors: [RGBA]) -> RGBAImage {
        RGBAImage(width: colors.count, height: 1, pixels: colors.flatMap { [$0.red, $0.green, $0.blue, $0.alpha] })
    }

    private func distance(_ first: RGBA, _ second: RGBA) -> Int {
        let channels: [KeyPath<RGBA, UInt8>] = [\.red, \.green, \.blue]
        return channels.reduce(0) { sum, channel in
            let difference = Int(first[keyPath: channel]) - Int(second[keyPath: channel])
            return sum + difference * difference
        }
    }
}
