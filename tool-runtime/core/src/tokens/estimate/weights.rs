//! The weights of the estimate, fitted to the counts of `o200k_base`.

/// Units of weight in a token.
pub(super) const TOKEN: u64 = 32;

/// The row of [`PAIRS`] for a space.
pub(super) const SPACE: usize = 58;
/// The row of [`PAIRS`] for other white space.
pub(super) const TAB: usize = 59;
/// The row of [`PAIRS`] for the start of a piece.
pub(super) const START: usize = 60;
/// The row of [`PAIRS`] for a character beyond ASCII.
pub(super) const OTHER: usize = 61;

/// The frequency with which a token ends between two ASCII characters of a piece.
///
/// A row is the first character: the letters, the symbols in the order of ASCII, a space, a tab,
/// the start of the piece, a character beyond ASCII. A column is the second one: the letters, the
/// symbols. `0` stands for never, and each further character of ASCII for one more unit.
#[rustfmt::skip]
pub(super) const PAIRS: [[u8; 58]; 62] = [
    *br"2000M808060000L0I00000300N::::::7:::::::::::::::::::::::::", // a
    *br"2=;;0@BG00A0CE0AG0040=@K0@::::::::::::::::::::::::::::::::", // b
    *br"06050G@0>B00<C0?D0400AEC0<::::::::::::::::::::::::::::::::", // c
    *br"0=B00><F0?37070EC83305=D0:::::::;:::::::::::::::::::::::::", // d
    *br"0000001<>9_100H>0000A0000Q::::::1:::::::::::::::::::::::::", // e
    *br"0B:?002E0A>0;00AF1300BDB2H::::::<:::::::::::::::::::::::::", // f
    *br"_@HH0E800D50<52=L0091HNCC7::::::::::::::::::::::::::::::::", // g
    *br"0A:F0A@@0G==5608A0D0=FFF8;::::::9:::::::::::::::::::::::::", // h
    *br"5;00000F[7^00000@000T0F:P0::::::7:::::::::::::::::::::::::", // i
    *br"GEB;0CBE@C0?B2EA9I0F6@?FCG::::::::::::::::::::::::::::::::", // j
    *br"0@>80;0E5EDD>0]=DM64ZHAED=::::::8:::::::::::::::::::::::::", // k
    *br"<DF3007:0;>0<;04F<0000LE0L::::::::::::::::::::::::::::::::", // l
    *br"00LA0M9S0E>70;00B?0?0D@A9A::::::9:::::::::::::::::::::::::", // m
    *br"0M00000G;;>00203GE00007D0J::::::0:::::::::::::::::::::::::", // n
    *br"0000=01>00300000F000000028::::::::::::::::::::::::::::::::", // o
    *br"0@F00C;0?C808600;0400:GB7E::::::9:::::::::::::::::::::::::", // p
    *br"UIFGLHADMEI3CDGB@=B=0FIEGE::::::@:::::::::::::::::::::::::", // q
    *br"0H00000B0E530007?00000CA0?::::::5:::::::::::::::::::::::::", // r
    *br"AN4:0?=00P@>2B0019000A?C0K::::::::::::::::::::::::::::::::", // s
    *br"0F0906@00O?;3:00E0000E0H0K::::::0:::::::::::::::::::::::::", // t
    *br"090<000C0<?000C0Y000IB>3>J::::::3:::::::::::::::::::::::::", // u
    *br"0E@C0E5I0CC?DF0;M7GCBC=P>B::::::;:::::::::::::::::::::::::", // v
    *br"0CG70DC00CAGB00AE00=DB0B>D::::::>:::::::::::::::::::::::::", // w
    *br"8>0C>AJ:4DFF0BD0DCJ0FBX80C::::::9:::::::::::::::::::::::::", // x
    *br"0@FR6UMJ5BK7>D00DJ06>L:C@6::::::5:::::::::::::::::::::::::", // y
    *br"BCC<0DA?MHN??>1FGEH?0A?>0H::::::::::::::::::::::::::::::::", // z
    *br"655466554555555558875556881?=:D:;19:;;8D?9E:0BB;@D;<CD:D:@", // !
    *br";=<=?B?5:65BC87==:98;95995B176=:AC0C6;32>01=F0><>9:A<B8B7C", // "
    *br"9792075?2567877957::555=55AB1D<;ACD;9>FD:9E<D?;J3EE:=E>D<>", // #
    *br"5476::8=5B8760885572655>55BF;1F>C9E??<<?;:FDD=BE><AA?:2E;=", // $
    *br"6545757746575556565:556455<>=C1EC9:=<<;;D:B:8C>9=DDD;DDDA:", // %
    *br"55557655754564444565655755BD89;1A<;F<9DPC<E<9CC:BG;:::<D::", // &
    *br"J654B>68G56145B75100;44564D=769=1@0?7?<5>21CDD8DBB98BE8C;<", // '
    *br"2;640187961020420:0080779640;3;201078@9?>9;@:BA88B@:6@7<:8", // (
    *br"67757755655598:65355<55455;?;A;@C<1==0@0?205@><B>C9BB>0C>?", // )
    *br"795;85565666767657565554647HACA:F@81E5>80FC>B<ECDD>::G@H<@", // *
    *br"F?AKMGC?A@@A<ABACA@=CB@?AA<==A?:B@>B19[CECB=<CC<>E>:;D;GAA", // +
    *br"NLZEB@D>=BDCRDHP:JO;>=@?=@@1@=D>8CBA;199:?F:::;;D=@?<D2D<:", // ,
    *br"?0272:1;08A02958<50;A:9;0>:5E;D@9B9>J?15DEDCA0B:EEE=?D;JBF", // -
    *br"0C000000002006002400000006B6>7;=?B;CABC14DF9BFFH;>?:0CFHF<", // .
    *br"::L0;F?GB0@1089@AG0@29?>?A?=78=A@@B1D6B21FF?>7B9CCD;:D8F?9", // /
    *br"R?FA>8:7=8<?<69::=F<9:7:5<A287<:AA9;98BD01E><C>9::?=;=CE=D", // :
    *br"546>7565546964555574665555E>EEECDC9EDEFG3F1CEEEE=0BEE?:F;E", // ;
    *br";6;F?:C8=;5:><;G9:>2:5877@@DA@DBB<<B<:AH0=E1>B7F=E:>E;<F<=", // <
    *br"BA>9><64:;@9;0=:::=097;95;80989<:@=@C<>FBBEA12B:A>?@C:9P:8", // =
    *br"<?>85@:6979@<:?:7A;8<79465=>A898A6@:D;A>:9@0>1DE@@D<?@3J?:", // >
    *br"98A5;78636788:76659;756767C@CD><AACD;?9D;<ACD<1>BCD:<;DC;:", // ?
    *br"FDGF:J:=8DE?GD>C;BEC@DAD75;<D;::D;C@<>CH;<F>?=:18C;:<=CH>>", // @
    *br"8@;?<7775549=76958;2745646C3?=9?8>:@D>??B:0DC<=D1C2HB75A<<", // [
    *br"5876E65:5558:@55965>66=556:0CICUI>DGIEFAH=E8?CC=C1EF=DFGC<", // \
    *br";8679675556565:956<7676965:D>A;CB;4A=0>;C:087@@=0C1::F>D@?", // ]
    *br"8;7697755799585687586969;5>C<D9DD@CC:<CBD;E<AC;A<A>1:E>G:I", // ^
    *br"0;000040050000033090302=06:<=88:=6?:?867=87==B<B@@B:1D8CAD", // _
    *br"56876755755557867;:7956555:B=7;DECCDD:D;DC<=@::?BCB<>1CD=>", // `
    *br"7<7:8866;55784586678;9657590=><;5<C9>;=F89:;:@<3>0C<=?1B=:", // {
    *br"D:??;998997;=9<:78G<689778DGDEECC@CC:DKDFGGJDI:DFMCD:ED1>I", // |
    *br"7967775575577665556?565658;:@8D99?4@:0?B7>07=C9@D0<:@6BB1:", // }
    *br";:8>6675855558666556665556>C<:9:=9;;<:FC>AE:GC;D:@EC:>?D:1", // ~
    *br"000000000400000000000007000000300000811?00800040050A40000=", // space
    *br"?85?@8Q>0A@@;68A=881<98;5A::::::::::::::::::::::::::::::::", // tab
    *br"000000<00731000030000040;900000000000000000000000000000000", // start
    *br"0000000000000000000000000000000000000000000000000000000000", // other
];

/// Weights of the lowercase letters of Cyrillic from U+0430 to U+045F.
#[rustfmt::skip]
pub(super) const CYRILLIC: [u8; 48] = [
    11, 0, 10, 15, 3, 1, 0, 0, 8, 0, 5, 0, 0, 8, 0, 0,
    0, 0, 0, 8, 3, 0, 9, 0, 24, 7, 54, 0, 0, 0, 0, 0,
    10, 17, 30, 12, 28, 4, 34, 14, 38, 36, 38, 34, 8, 10, 14, 11,
];

/// Weights of other characters: the last one of a range, the weight of each, and what the first
/// one of a run weighs more.
#[rustfmt::skip]
pub(super) const RANGES: [(char, u8, u8); 56] = [
    ('\u{bf}', 0, 0), // Latin-1 symbols
    ('\u{ff}', 0, 29), // Latin-1 letters
    ('\u{24f}', 9, 21), // Latin Extended
    ('\u{2ff}', 36, 13), // phonetic letters
    ('\u{36f}', 33, 10), // combining marks
    ('\u{3ff}', 5, 6), // Greek
    ('\u{45f}', 0, 0), // Cyrillic: see CYRILLIC
    ('\u{52f}', 0, 8), // Cyrillic Supplement
    ('\u{58f}', 3, 8), // Armenian
    ('\u{5ff}', 7, 0), // Hebrew
    ('\u{6ff}', 5, 0), // Arabic
    ('\u{8ff}', 58, 7), // Syriac to Samaritan
    ('\u{97f}', 5, 0), // Devanagari
    ('\u{9ff}', 7, 0), // Bengali
    ('\u{a7f}', 48, 0), // Gurmukhi
    ('\u{aff}', 7, 0), // Gujarati
    ('\u{b7f}', 48, 0), // Odia
    ('\u{bff}', 6, 20), // Tamil
    ('\u{c7f}', 13, 0), // Telugu
    ('\u{cff}', 10, 0), // Kannada
    ('\u{d7f}', 7, 14), // Malayalam
    ('\u{dff}', 14, 0), // Sinhala
    ('\u{e7f}', 7, 42), // Thai
    ('\u{eff}', 55, 20), // Lao
    ('\u{fff}', 40, 0), // Tibetan
    ('\u{109f}', 14, 0), // Myanmar
    ('\u{10ff}', 5, 0), // Georgian
    ('\u{11ff}', 35, 10), // Hangul letters
    ('\u{139f}', 58, 0), // Ethiopic
    ('\u{177f}', 48, 0), // Cherokee to Philippine scripts
    ('\u{17ff}', 17, 5), // Khmer
    ('\u{1dff}', 29, 3), // Mongolian to phonetic extensions
    ('\u{1eff}', 5, 0), // Latin with two accents
    ('\u{1fff}', 48, 0), // Greek with accents
    ('\u{206f}', 0, 0), // punctuation
    ('\u{20cf}', 34, 9), // currencies
    ('\u{218f}', 23, 0), // letter-like symbols
    ('\u{22ff}', 39, 0), // arrows and mathematics
    ('\u{24ff}', 89, 40), // technical symbols
    ('\u{259f}', 2, 23), // lines and blocks
    ('\u{2bff}', 36, 13), // shapes and dingbats
    ('\u{2fff}', 48, 0), // Coptic to radicals
    ('\u{303f}', 16, 15), // Chinese punctuation
    ('\u{309f}', 13, 5), // Hiragana
    ('\u{30ff}', 15, 9), // Katakana
    ('\u{33ff}', 48, 0), // Bopomofo and enclosed letters
    ('\u{4dbf}', 52, 28), // rare Chinese characters
    ('\u{9fff}', 20, 5), // Chinese characters
    ('\u{abff}', 36, 11), // Yi to Meetei
    ('\u{d7af}', 12, 0), // Hangul
    ('\u{f8ff}', 27, 1), // private use
    ('\u{feff}', 34, 10), // compatibility forms
    ('\u{ffef}', 11, 8), // full-width forms
    ('\u{1efff}', 11, 7), // ancient scripts
    ('\u{1faff}', 60, 24), // emoji
    ('\u{10ffff}', 118, 23), // other planes
];

/// The weight of each letter of a word from the thirteenth on.
pub(super) const LONG: u64 = 8;
/// The weight of an uppercase ASCII letter that does not begin a word.
pub(super) const UPPERCASE: u64 = 3;
/// The weight of any other uppercase letter.
pub(super) const OTHER_UPPERCASE: u64 = 19;
