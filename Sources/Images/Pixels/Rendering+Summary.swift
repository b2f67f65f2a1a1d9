internal import Serialization

extension Rendering {
    /// Adds the requested placeholders and fingerprints.
    /// - Parameter sample: The complete image, with sides of at most ``RGBAImage/maxSampleSide``.
    mutating func summarize(_ sample: RGBAImage, _ request: RenderingRequest) {
        if request.placeholders.contains(.average) { average = sample.average }
        if request.placeholders.contains(.dominant) { dominant = sample.dominant }
        if request.placeholders.contains(.palette) { palette = sample.palette }
        if request.placeholders.contains(.blurhash) { blurhash = BlurHash.encode(sample) }
        if request.placeholders.contains(.thumbhash) { thumbhash = ThumbHash.encode(sample) }
        if request.phash { phash = PerceptualHash.of(sample) }
    }
}
