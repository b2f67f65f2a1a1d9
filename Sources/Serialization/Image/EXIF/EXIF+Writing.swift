extension JSONWriter {
    /// Writes the member `exif`.
    mutating func exif(_ exif: borrowing EXIF, _ policy: EXIFPolicy, _ content: Span<UInt8>) {
    }
}
