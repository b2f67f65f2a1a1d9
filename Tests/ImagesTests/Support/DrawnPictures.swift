@testable import Images
@testable import Serialization

/// Pictures that are drawn with integers, so that other programs can draw the same ones.
enum DrawnPicture: String, CaseIterable {
    /// Three gradients.
    case gradients
    /// The same, with transparency increasing downwards.
    case fading
    /// Two discs on gradients.
    case discs

    func sample(_ width: Int, _ height: Int) -> RGBAImage {
        var bytes: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width {
                bytes += color(x * 256 / width, y * 256 / height).map { UInt8($0) }
            }
        }
        return RGBAImage(width: width, height: height, pixels: bytes)
    }

    /// Returns the colour at a position in 0...255.
    private func color(_ x: Int, _ y: Int) -> [Int] {
        switch self {
        case .gradients, .fading:
            return [(x + y) / 2, (255 - x) * y / 255, (x * x / 255 + y) / 2, self == .fading ? 255 - y : 255]
        case .discs:
            let first = (x - 80) * (x - 80) + (y - 140) * (y - 140)
            let second = (x - 200) * (x - 200) + (y - 60) * (y - 60)
            return [first < 3600 ? 255 : x / 2, second < 1600 ? 200 : 255 - y, x * y / 255, 255]
        }
    }
}

extension RGBAImage {
    static func flat(_ color: RGBA, width: Int = 32, height: Int = 24) -> RGBAImage {
        let pixel = [color.red, color.green, color.blue, color.alpha]
        return RGBAImage(width: width, height: height, pixels: (0..<width * height).flatMap { _ in pixel })
    }
}
