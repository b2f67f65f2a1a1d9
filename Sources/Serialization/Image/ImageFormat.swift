/// An image format, which is always detected from the signature of the content, never from its label.
public enum ImageFormat: String, Sendable, CaseIterable {
    /// PNG and APNG (ISO/IEC 15948).
    case png
    /// JPEG (ITU-T T.81).
    case jpeg
    case gif
    /// Windows bitmaps, with or without the file header.
    case bmp
    /// Windows icons.
    case ico
    /// Windows cursors.
    case cur
    /// TIFF 6.0 and BigTIFF.
    case tiff
    /// X bitmaps: C source text.
    case xbm
    case webp
    case avif
    case heic
    /// JPEG XL, as a codestream or in its container.
    case jxl
    /// JPEG 2000, as a codestream or in its container.
    case jp2
    /// Photoshop documents.
    case psd
    case svg
}
