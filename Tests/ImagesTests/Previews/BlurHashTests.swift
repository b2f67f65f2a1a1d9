import Testing

@testable import Images
@testable import Serialization

/// Results of the authors' encoder in C (woltapp/blurhash) for the same pixels.
@Suite struct BlurHashTests {
    @Test(arguments: [
        (DrawnPicture.gradients, 40, 30, "LSFq6A3[tSXM0dvWi{erozkUf$fk"),
        (.gradients, 21, 64, "LTFqFV3[pIo]0KvWiyaMtQkTf%kB"),
        (.fading, 40, 30, "L-LzK_O*j]oe00WBjbaeX5nmjZjb"),
        (.discs, 64, 48, "L-FP}jw?N_FaUMW@n~oLC3J%wf$4"),
        (.discs, 100, 75, "L+FP_dw?N{FZUMW@n~oLC3J%wf#-"),
    ])
    func `equals the result of the authors' encoder`(picture: DrawnPicture, width: Int, height: Int, hash: String) {
        #expect(BlurHash.encode(picture.sample(width, height)) == hash)
    }

    @Test(arguments: [
        (RGBA(red: 255, green: 255, blue: 255), "LDTSUA_3fQ_3~qoffQoffQfQfQfQ"),
        (RGBA(red: 0, green: 0, blue: 0), "L00000fQfQfQfQfQfQfQfQfQfQfQ"),
        (RGBA(red: 255, green: 0, blue: 0), "LDTI:j]9fQ]9|co1fQo1fQfQfQfQ"),
        (RGBA(red: 18, green: 52, blue: 86), "L027F4pMfQpMt:flfQflfQfQfQfQ"),
        // Transparent pixels are blended with white.
        (RGBA(red: 255, green: 0, blue: 0, alpha: 0), "LDTSUA_3fQ_3~qoffQoffQfQfQfQ"),
    ])
    func `of one colour equals the result of the authors' encoder`(color: RGBA, hash: String) {
        #expect(BlurHash.encode(.flat(color)) == hash)
    }
}
