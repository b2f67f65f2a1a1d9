internal import CLCMS
internal import Serialization

/// Converts the colours of decoded pictures to sRGB.
///
/// Pictures are converted after they were reduced. The converted mean of colours differs slightly from the mean of
/// converted colours, but the difference between the curves of a profile and of sRGB is far smaller than that between
/// either and linear light, in which thumbnails are usually not resampled. A conversion costs ten times as much as all
/// other steps per pixel.
@safe struct ColorConversion: ~Copyable {
    /// Whether there is a profile that could not be used.
    private(set) var ignoresProfile = false
    private let isCMYK: Bool
    private let isGrey: Bool
    /// The transform of the library, closed in `deinit`; `nil` if colours are sRGB, or nothing better is known.
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
        // The transform cannot be used after this.
        if let transform = unsafe transform { unsafe clcms_close(transform) }
    }

    private mutating func close() {
        // It is set to `nil` immediately.
        if let transform = unsafe transform { unsafe clcms_close(transform) }
        unsafe transform = nil
    }

    /// Returns characters 16 to 19 of a profile (ICC.1 §7.2.6).
    private static func colorSpace(of profile: [UInt8]) -> String {
        profile.count < 20 ? "" : String(decoding: profile[16..<20], as: UTF8.self)
    }

    /// Returns whether the profile is equivalent to sRGB: no colour changes by more than rounding.
    private func changesNothing() -> Bool {
        if isCMYK { return false }
        guard unsafe transform != nil else { return true }
        let levels: [UInt8] = [0, 32, 64, 96, 128, 160, 192, 224, 255]
        var pixels: [UInt8] = []
        for red in levels {
            // For grey, only greys.
            for green in isGrey ? [red] : levels {
                for blue in isGrey ? [red] : levels { pixels += [red, green, blue, 255] }
            }
        }
        var colors = RGBAImage(width: pixels.count / 4, height: 1, pixels: pixels)
        apply(to: &colors)
        return zip(colors.pixels, pixels).allSatisfy { abs(Int($0) - Int($1)) <= 1 }
    }

    /// Converts a picture to sRGB. Its pixels must be in the colours of the rows.
    func convert(_ picture: RGBAImage) -> RGBAImage {
        var picture = picture
        if unsafe transform != nil {
            apply(to: &picture)
        } else if isCMYK {
            picture.convertInkToRGB()
        }
        return picture
    }

    private func apply(to picture: inout RGBAImage) {
        guard let transform = unsafe transform else { return }
        unsafe picture.pixels.withUnsafeMutableBufferPointer { bytes in
            // A picture has at least one pixel, so there is an address; a pixel has four bytes.
            unsafe clcms_convert(transform, bytes.baseAddress.unsafelyUnwrapped, bytes.count / 4)
        }
    }
}

extension RGBAImage {
    /// Converts ink without a profile: each channel is the light that remains after its ink and black. 255 is no ink.
    mutating func convertInkToRGB() {
        for at in stride(from: 0, to: pixels.count, by: 4) {
            let black = Int(pixels[at + 3])
            for channel in at..<at + 3 { pixels[channel] = UInt8((Int(pixels[channel]) * black + 127) / 255) }
            pixels[at + 3] = 255
        }
    }
}
