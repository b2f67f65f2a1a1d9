internal import CLCMS

/// What makes sRGB of the colours of a decode's pictures.
///
/// Pictures are converted once they are small. A mean of colours is not quite the colour of a mean, but the difference
/// between a profile's curve and sRGB's is far smaller than that between either and light, in which nobody resamples
/// thumbnails; and a transform costs ten times what a pixel's other way through here does.
@safe struct ColorConversion: ~Copyable {
    /// Whether there is a profile that could not be used.
    private(set) var ignoresProfile = false
    private let isCMYK: Bool
    private let isGrey: Bool
    /// The library's, closed in `deinit`; nil where colours are sRGB, or nothing better is known.
    private var transform: OpaquePointer?

    init(_ format: RowFormat) {
        isCMYK = format.layout == .cmyk8
        isGrey = format.isGrey
        guard !format.profile.isEmpty else { return }
        let space = Self.colorSpace(of: format.profile)
        let model: clcms_model? =
            switch (space, isCMYK) {
            case ("CMYK", true): CLCMS_CMYK
            case ("RGB ", false): CLCMS_RGB
            case ("GRAY", false): format.isGrey ? CLCMS_GREY : nil
            default: nil
            }
        if let model {
            unsafe transform = format.profile.withUnsafeBufferPointer { bytes in
                // The profile is not empty, so it has an address.
                unsafe clcms_open(bytes.baseAddress.unsafelyUnwrapped, bytes.count, model)
            }
        }
        ignoresProfile = unsafe transform == nil
        if changesNothing() { close() }
    }

    deinit {
        // Nothing can use the transform after this.
        if let transform = unsafe transform { unsafe clcms_close(transform) }
    }

    private mutating func close() {
        // It is forgotten at once.
        if let transform = unsafe transform { unsafe clcms_close(transform) }
        unsafe transform = nil
    }

    /// Characters 16 to 19 of a profile (ICC.1 §7.2.6).
    private static func colorSpace(of profile: [UInt8]) -> String {
        profile.count < 20 ? "" : String(decoding: profile[16..<20], as: UTF8.self)
    }

    /// Whether the profile is sRGB, or as good as that: no colour becomes another by more than rounding.
    private func changesNothing() -> Bool {
        if isCMYK { return false }
        guard unsafe transform != nil else { return true }
        let levels: [UInt8] = [0, 32, 64, 96, 128, 160, 192, 224, 255]
        var pixels: [UInt8] = []
        for red in levels {
            // Of grey, only greys.
            for green in isGrey ? [red] : levels {
                for blue in isGrey ? [red] : levels { pixels += [red, green, blue, 255] }
            }
        }
        var colors = RGBAImage(width: pixels.count / 4, height: 1, pixels: pixels)
        apply(to: &colors)
        return zip(colors.pixels, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Makes sRGB of a picture, whose pixels are what the rows' were.
    func convert(_ picture: RGBAImage) -> RGBAImage {
        var picture = picture
        if unsafe transform != nil {
            apply(to: &picture)
        } else if isCMYK {
            picture.takeOffInk()
        }
        return picture
    }

    private func apply(to picture: inout RGBAImage) {
        guard let transform = unsafe transform else { return }
        unsafe picture.pixels.withUnsafeMutableBufferPointer { bytes in
            // A picture has a pixel at least, so there is an address; a pixel has four bytes.
            unsafe clcms_convert(transform, bytes.baseAddress.unsafelyUnwrapped, bytes.count / 4)
        }
    }
}

extension RGBAImage {
    /// Ink without a profile: each colour is what its ink and the black leave of the light. 255 is no ink.
    mutating func takeOffInk() {
        for at in stride(from: 0, to: pixels.count, by: 4) {
            let black = Int(pixels[at + 3])
            for channel in at..<at + 3 { pixels[channel] = UInt8((Int(pixels[channel]) * black + 127) / 255) }
            pixels[at + 3] = 255
        }
    }
}
