// The indexes of the single-byte charsets (WHATWG Encoding §9), sixteen bytes per line, with `�` for a byte that is not
// assigned. The Windows charsets map bytes that Microsoft did not assign to the C1 controls. Right-to-left letters,
// marks and invisible characters are written as escapes, so that an editor shows and keeps every line unchanged.

extension CharsetTable {
    /// - Parameter upper: The characters of the bytes from 0x80, or from 0xA0, in which case the bytes before are the
    ///   C1 controls. Line ends are ignored.
    private init(upper: String) {
        let characters = upper.unicodeScalars.filter { $0 != "\n" }
        let controls = (UInt32(0x80)..<UInt32(256 - characters.count)).compactMap { Unicode.Scalar($0) }
        single = (controls + characters).map { $0 == "\u{FFFD}" ? .none : CharsetText($0) }
        precondition(single.count == 128, "a table has 128 characters, or 96")
    }

    static let ibm866 = CharsetTable(
        upper: """
            АБВГДЕЖЗИЙКЛМНОП
            РСТУФХЦЧШЩЪЫЬЭЮЯ
            абвгдежзийклмноп
            ░▒▓│┤╡╢╖╕╣║╗╝╜╛┐
            └┴┬├─┼╞╟╚╔╩╦╠═╬╧
            ╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀
            рстуфхцчшщъыьэюя
            ЁёЄєЇїЎў°∙·√№¤■\u{A0}
            """
    )

    static let iso8859Part2 = CharsetTable(
        upper: """
            \u{A0}Ą˘Ł¤ĽŚ§¨ŠŞŤŹ\u{AD}ŽŻ
            °ą˛ł´ľśˇ¸šşťź˝žż
            ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ
            ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß
            ŕáâăäĺćçčéęëěíîď
            đńňóôőö÷řůúűüýţ˙
            """
    )

    static let iso8859Part3 = CharsetTable(
        upper: """
            \u{A0}Ħ˘£¤�Ĥ§¨İŞĞĴ\u{AD}�Ż
            °ħ²³´µĥ·¸ışğĵ½�ż
            ÀÁÂ�ÄĊĈÇÈÉÊËÌÍÎÏ
            �ÑÒÓÔĠÖ×ĜÙÚÛÜŬŜß
            àáâ�äċĉçèéêëìíîï
            �ñòóôġö÷ĝùúûüŭŝ˙
            """
    )

    static let iso8859Part4 = CharsetTable(
        upper: """
            \u{A0}ĄĸŖ¤ĨĻ§¨ŠĒĢŦ\u{AD}Ž¯
            °ą˛ŗ´ĩļˇ¸šēģŧŊžŋ
            ĀÁÂÃÄÅÆĮČÉĘËĖÍÎĪ
            ĐŅŌĶÔÕÖ×ØŲÚÛÜŨŪß
            āáâãäåæįčéęëėíîī
            đņōķôõö÷øųúûüũū˙
            """
    )

    static let iso8859Part5 = CharsetTable(
        upper: """
            \u{A0}ЁЂЃЄЅІЇЈЉЊЋЌ\u{AD}ЎЏ
            АБВГДЕЖЗИЙКЛМНОП
            РСТУФХЦЧШЩЪЫЬЭЮЯ
            абвгдежзийклмноп
            рстуфхцчшщъыьэюя
            №ёђѓєѕіїјљњћќ§ўџ
            """
    )

    static let iso8859Part6 = CharsetTable(
        upper: """
            \u{A0}���¤�������،\u{AD}��
            �����������\u{61B}���\u{61F}
            �\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}\u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}
            \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}\u{637}\u{638}\u{639}\u{63A}�����
            \u{640}\u{641}\u{642}\u{643}\u{644}\u{645}\u{646}\u{647}
            \u{648}\u{649}\u{64A}\u{64B}\u{64C}\u{64D}\u{64E}\u{64F}
            \u{650}\u{651}\u{652}�������������
            """
    )

    static let iso8859Part7 = CharsetTable(
        upper: """
            \u{A0}‘’£€₯¦§¨©ͺ«¬\u{AD}�―
            °±²³΄΅Ά·ΈΉΊ»Ό½ΎΏ
            ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ
            ΠΡ�ΣΤΥΦΧΨΩΪΫάέήί
            ΰαβγδεζηθικλμνξο
            πρςστυφχψωϊϋόύώ�
            """
    )

    static let iso8859Part8 = CharsetTable(
        upper: """
            \u{A0}�¢£¤¥¦§¨©×«¬\u{AD}®¯
            °±²³´µ¶·¸¹÷»¼½¾�
            ����������������
            ���������������‗
            \u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}
            \u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}
            \u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}��\u{200E}\u{200F}�
            """
    )

    static let iso8859Part10 = CharsetTable(
        upper: """
            \u{A0}ĄĒĢĪĨĶ§ĻĐŠŦŽ\u{AD}ŪŊ
            °ąēģīĩķ·ļđšŧž―ūŋ
            ĀÁÂÃÄÅÆĮČÉĘËĖÍÎÏ
            ÐŅŌÓÔÕÖŨØŲÚÛÜÝÞß
            āáâãäåæįčéęëėíîï
            ðņōóôõöũøųúûüýþĸ
            """
    )

    static let iso8859Part13 = CharsetTable(
        upper: """
            \u{A0}”¢£¤„¦§Ø©Ŗ«¬\u{AD}®Æ
            °±²³“µ¶·ø¹ŗ»¼½¾æ
            ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ
            ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß
            ąįāćäåęēčéźėģķīļ
            šńņóōõö÷ųłśūüżž’
            """
    )

    static let iso8859Part14 = CharsetTable(
        upper: """
            \u{A0}Ḃḃ£ĊċḊ§Ẁ©ẂḋỲ\u{AD}®Ÿ
            ḞḟĠġṀṁ¶ṖẁṗẃṠỳẄẅṡ
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
            ŴÑÒÓÔÕÖṪØÙÚÛÜÝŶß
            àáâãäåæçèéêëìíîï
            ŵñòóôõöṫøùúûüýŷÿ
            """
    )

    static let iso8859Part15 = CharsetTable(
        upper: """
            \u{A0}¡¢£€¥Š§š©ª«¬\u{AD}®¯
            °±²³Žµ¶·ž¹º»ŒœŸ¿
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
            ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß
            àáâãäåæçèéêëìíîï
            ðñòóôõö÷øùúûüýþÿ
            """
    )

    static let iso8859Part16 = CharsetTable(
        upper: """
            \u{A0}ĄąŁ€„Š§š©Ș«Ź\u{AD}źŻ
            °±ČłŽ”¶·žčș»ŒœŸż
            ÀÁÂĂÄĆÆÇÈÉÊËÌÍÎÏ
            ĐŃÒÓÔŐÖŚŰÙÚÛÜĘȚß
            àáâăäćæçèéêëìíîï
            đńòóôőöśűùúûüęțÿ
            """
    )

    static let koi8R = CharsetTable(
        upper: """
            ─│┌┐└┘├┤┬┴┼▀▄█▌▐
            ░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷
            ═║╒ё╓╔╕╖╗╘╙╚╛╜╝╞
            ╟╠╡Ё╢╣╤╥╦╧╨╩╪╫╬©
            юабцдефгхийклмно
            пярстужвьызшэщчъ
            ЮАБЦДЕФГХИЙКЛМНО
            ПЯРСТУЖВЬЫЗШЭЩЧЪ
            """
    )

    static let koi8U = CharsetTable(
        upper: """
            ─│┌┐└┘├┤┬┴┼▀▄█▌▐
            ░▒▓⌠■∙√≈≤≥\u{A0}⌡°²·÷
            ═║╒ёє╔ії╗╘╙╚╛ґў╞
            ╟╠╡ЁЄ╣ІЇ╦╧╨╩╪ҐЎ©
            юабцдефгхийклмно
            пярстужвьызшэщчъ
            ЮАБЦДЕФГХИЙКЛМНО
            ПЯРСТУЖВЬЫЗШЭЩЧЪ
            """
    )

    static let macintosh = CharsetTable(
        upper: """
            ÄÅÇÉÑÖÜáàâäãåçéè
            êëíìîïñóòôöõúùûü
            †°¢£§•¶ß®©™´¨≠ÆØ
            ∞±≤≥¥µ∂∑∏π∫ªºΩæø
            ¿¡¬√ƒ≈∆«»…\u{A0}ÀÃÕŒœ
            –—“”‘’÷◊ÿŸ⁄€‹›ﬁﬂ
            ‡·‚„‰ÂÊÁËÈÍÎÏÌÓÔ
            \u{F8FF}ÒÚÛÙıˆ˜¯˘˙˚¸˝˛ˇ
            """
    )

    static let windows874 = CharsetTable(
        upper: """
            €\u{81}\u{82}\u{83}\u{84}…\u{86}\u{87}\u{88}\u{89}\u{8A}\u{8B}\u{8C}\u{8D}\u{8E}\u{8F}
            \u{90}‘’“”•–—\u{98}\u{99}\u{9A}\u{9B}\u{9C}\u{9D}\u{9E}\u{9F}
            \u{A0}กขฃคฅฆงจฉชซฌญฎฏ
            ฐฑฒณดตถทธนบปผฝพฟ
            ภมยรฤลฦวศษสหฬอฮฯ
            ะ\u{E31}าำ\u{E34}\u{E35}\u{E36}\u{E37}\u{E38}\u{E39}\u{E3A}����฿
            เแโใไๅๆ\u{E47}\u{E48}\u{E49}\u{E4A}\u{E4B}\u{E4C}\u{E4D}\u{E4E}๏
            ๐๑๒๓๔๕๖๗๘๙๚๛����
            """
    )

    static let windows1250 = CharsetTable(
        upper: """
            €\u{81}‚\u{83}„…†‡\u{88}‰Š‹ŚŤŽŹ
            \u{90}‘’“”•–—\u{98}™š›śťžź
            \u{A0}ˇ˘Ł¤Ą¦§¨©Ş«¬\u{AD}®Ż
            °±˛ł´µ¶·¸ąş»Ľ˝ľż
            ŔÁÂĂÄĹĆÇČÉĘËĚÍÎĎ
            ĐŃŇÓÔŐÖ×ŘŮÚŰÜÝŢß
            ŕáâăäĺćçčéęëěíîď
            đńňóôőö÷řůúűüýţ˙
            """
    )

    static let windows1251 = CharsetTable(
        upper: """
            ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏ
            ђ‘’“”•–—\u{98}™љ›њќћџ
            \u{A0}ЎўЈ¤Ґ¦§Ё©Є«¬\u{AD}®Ї
            °±Ііґµ¶·ё№є»јЅѕї
            АБВГДЕЖЗИЙКЛМНОП
            РСТУФХЦЧШЩЪЫЬЭЮЯ
            абвгдежзийклмноп
            рстуфхцчшщъыьэюя
            """
    )

    static let windows1252 = CharsetTable(
        upper: """
            €\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}Ž\u{8F}
            \u{90}‘’“”•–—˜™š›œ\u{9D}žŸ
            \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯
            °±²³´µ¶·¸¹º»¼½¾¿
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
            ÐÑÒÓÔÕÖ×ØÙÚÛÜÝÞß
            àáâãäåæçèéêëìíîï
            ðñòóôõö÷øùúûüýþÿ
            """
    )

    static let windows1253 = CharsetTable(
        upper: """
            €\u{81}‚ƒ„…†‡\u{88}‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}
            \u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}
            \u{A0}΅Ά£¤¥¦§¨©�«¬\u{AD}®―
            °±²³΄µ¶·ΈΉΊ»Ό½ΎΏ
            ΐΑΒΓΔΕΖΗΘΙΚΛΜΝΞΟ
            ΠΡ�ΣΤΥΦΧΨΩΪΫάέήί
            ΰαβγδεζηθικλμνξο
            πρςστυφχψωϊϋόύώ�
            """
    )

    static let windows1254 = CharsetTable(
        upper: """
            €\u{81}‚ƒ„…†‡ˆ‰Š‹Œ\u{8D}\u{8E}\u{8F}
            \u{90}‘’“”•–—˜™š›œ\u{9D}\u{9E}Ÿ
            \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯
            °±²³´µ¶·¸¹º»¼½¾¿
            ÀÁÂÃÄÅÆÇÈÉÊËÌÍÎÏ
            ĞÑÒÓÔÕÖ×ØÙÚÛÜİŞß
            àáâãäåæçèéêëìíîï
            ğñòóôõö÷øùúûüışÿ
            """
    )

    static let windows1255 = CharsetTable(
        upper: """
            €\u{81}‚ƒ„…†‡ˆ‰\u{8A}‹\u{8C}\u{8D}\u{8E}\u{8F}
            \u{90}‘’“”•–—˜™\u{9A}›\u{9C}\u{9D}\u{9E}\u{9F}
            \u{A0}¡¢£₪¥¦§¨©×«¬\u{AD}®¯
            °±²³´µ¶·¸¹÷»¼½¾¿
            \u{5B0}\u{5B1}\u{5B2}\u{5B3}\u{5B4}\u{5B5}\u{5B6}\u{5B7}
            \u{5B8}\u{5B9}\u{5BA}\u{5BB}\u{5BC}\u{5BD}\u{5BE}\u{5BF}
            \u{5C0}\u{5C1}\u{5C2}\u{5C3}\u{5F0}\u{5F1}\u{5F2}\u{5F3}\u{5F4}�������
            \u{5D0}\u{5D1}\u{5D2}\u{5D3}\u{5D4}\u{5D5}\u{5D6}\u{5D7}
            \u{5D8}\u{5D9}\u{5DA}\u{5DB}\u{5DC}\u{5DD}\u{5DE}\u{5DF}
            \u{5E0}\u{5E1}\u{5E2}\u{5E3}\u{5E4}\u{5E5}\u{5E6}\u{5E7}\u{5E8}\u{5E9}\u{5EA}��\u{200E}\u{200F}�
            """
    )

    static let windows1256 = CharsetTable(
        upper: """
            €\u{67E}‚ƒ„…†‡ˆ‰\u{679}‹Œ\u{686}\u{698}\u{688}
            \u{6AF}‘’“”•–—\u{6A9}™\u{691}›œ\u{200C}\u{200D}\u{6BA}
            \u{A0}،¢£¤¥¦§¨©\u{6BE}«¬\u{AD}®¯
            °±²³´µ¶·¸¹\u{61B}»¼½¾\u{61F}
            \u{6C1}\u{621}\u{622}\u{623}\u{624}\u{625}\u{626}\u{627}
            \u{628}\u{629}\u{62A}\u{62B}\u{62C}\u{62D}\u{62E}\u{62F}
            \u{630}\u{631}\u{632}\u{633}\u{634}\u{635}\u{636}×\u{637}\u{638}\u{639}\u{63A}\u{640}\u{641}\u{642}\u{643}
            à\u{644}â\u{645}\u{646}\u{647}\u{648}çèéêë\u{649}\u{64A}îï
            \u{64B}\u{64C}\u{64D}\u{64E}ô\u{64F}\u{650}÷\u{651}ù\u{652}ûü\u{200E}\u{200F}\u{6D2}
            """
    )

    static let windows1257 = CharsetTable(
        upper: """
            €\u{81}‚\u{83}„…†‡\u{88}‰\u{8A}‹\u{8C}¨ˇ¸
            \u{90}‘’“”•–—\u{98}™\u{9A}›\u{9C}¯˛\u{9F}
            \u{A0}�¢£¤�¦§Ø©Ŗ«¬\u{AD}®Æ
            °±²³´µ¶·ø¹ŗ»¼½¾æ
            ĄĮĀĆÄÅĘĒČÉŹĖĢĶĪĻ
            ŠŃŅÓŌÕÖ×ŲŁŚŪÜŻŽß
            ąįāćäåęēčéźėģķīļ
            šńņóōõö÷ųłśūüżž˙
            """
    )

    static let windows1258 = CharsetTable(
        upper: """
            €\u{81}‚ƒ„…†‡ˆ‰\u{8A}‹Œ\u{8D}\u{8E}\u{8F}
            \u{90}‘’“”•–—˜™\u{9A}›œ\u{9D}\u{9E}Ÿ
            \u{A0}¡¢£¤¥¦§¨©ª«¬\u{AD}®¯
            °±²³´µ¶·¸¹º»¼½¾¿
            ÀÁÂĂÄÅÆÇÈÉÊË\u{300}ÍÎÏ
            ĐÑ\u{309}ÓÔƠÖ×ØÙÚÛÜƯ\u{303}ß
            àáâăäåæçèéêë\u{301}íîï
            đñ\u{323}óôơö÷øùúûüư₫ÿ
            """
    )

    static let macCyrillic = CharsetTable(
        upper: """
            АБВГДЕЖЗИЙКЛМНОП
            РСТУФХЦЧШЩЪЫЬЭЮЯ
            †°Ґ£§•¶І®©™Ђђ≠Ѓѓ
            ∞±≤≥іµґЈЄєЇїЉљЊњ
            јЅ¬√ƒ≈∆«»…\u{A0}ЋћЌќѕ
            –—“”‘’÷„ЎўЏџ№Ёёя
            абвгдежзийклмноп
            рстуфхцчшщъыьэю€
            """
    )
}
