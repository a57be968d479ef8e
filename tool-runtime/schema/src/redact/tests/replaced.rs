//! Values that the default set replaces.

use super::redacts;

#[test]
fn cards_are_found_by_their_check_digit() {
    redacts("paid with 4111 1111 1111 1111.", "paid with [card].");
    redacts("4111-1111-1111-1111", "[card]");
    redacts("card:4111111111111111,", "card:[card],");
    redacts("amex 3782 822463 10005", "amex [card]");
    redacts("5555555555554444 and 2223003122003222", "[card] and [card]");
    redacts("6011111111111117 30569309025904 3530111333300000", "[card] [card] [card]");
    redacts("order 12 4111 1111 1111 1111 of 3 items", "order 12 [card] of 3 items");
    redacts("4111\u{a0}1111\u{a0}1111\u{a0}1111", "[card]");
}

#[test]
fn addresses_of_mail_are_found_in_every_script() {
    redacts("ask ada@example.com.", "ask [email].");
    redacts("<ada.l+x@mail.example.co.uk>", "<[email]>");
    redacts("mailto:ada@example.com?subject=x", "mailto:[email]?subject=x");
    redacts("to=ada%40example.com&x=1", "to=[email]&x=1");
    redacts("jürgen@müller.de", "[email]");
    redacts("a@b.co,c@d.org", "[email],[email]");
}

#[test]
fn telephone_numbers_are_found_in_their_usual_shapes() {
    redacts("call +49 30 1234567 now", "call [phone] now");
    redacts("+1 (555) 234-5678", "[phone]");
    redacts("+8613812345678", "[phone]");
    redacts("0049 30 1234567", "[phone]");
    redacts("(555) 234-5678 or 555.234.5678", "[phone] or [phone]");
    redacts("1-800-234-5678", "[phone]");
    redacts("06 12 34 56 78", "[phone]");
    redacts("020 7946 0958", "[phone]");
    redacts("030/1234567", "[phone]");
    redacts("电话13812345678。", "电话[phone]。");
    redacts("138 1234 5678", "[phone]");
}

#[test]
fn postal_addresses_are_found_where_a_street_has_a_number() {
    redacts("lives at 1600 Pennsylvania Avenue NW", "lives at [address] NW");
    redacts("221B Baker Street, London", "[address], London");
    redacts("10 Downing St", "[address]");
    redacts("P.O. Box 1234", "[address]");
    redacts("Hauptstraße 12a, Berlin", "[address], Berlin");
    redacts("wohnt Berliner Str. 7", "wohnt [address]");
    redacts("Am Lindenweg 3", "[address]");
    redacts("12 rue de la Paix, Paris", "[address], Paris");
    redacts("5 bis avenue Victor Hugo", "[address]");
    redacts("Calle de Alcalá, 42", "[address]");
    redacts("北京市朝阳区建国路88号", "[address]");
}

#[test]
fn chinese_addresses_are_found_in_both_scripts() {
    for address in [
        "中关村大街27号",
        "中关村大街 27 号",
        "严田村12号",
        "嚴田村12號",
        "李家村三组12号",
        "李家村三組12號",
        "建国路甲92号",
        "建國路甲92號",
        "建国路92号甲",
        "建国路附92-3号",
        "市府路45号",
        "市府路45號",
        "忠孝東路四段12號3樓",
        "建國南路二段151巷6弄8號",
        "和平東路１段１２３號",
        "彌敦道100號",
        "皇后大道中99號",
        "三里屯路十二号",
        "菊儿胡同5号",
        "阳光小区3号",
        "陽光社區3號之2",
        "人民路27号院3号楼2单元501室",
        "阳光花园3栋2单元501室",
        "陽光花園3棟2單元501室",
        "5号楼301室",
        "３号楼２单元１０１室",
        "中山路５号３号楼２单元１０１室",
        "十二号楼三单元301室",
        "十二號樓三〇一室",
        "国贸大厦A座1203室",
        "國貿大廈Ａ座１２０３室",
        "阳光花园三栋二单元501室",
        "彩虹邨5號",
        "彩虹邨金碧樓5號",
        "东四十条甲22号",
        "東四十條甲22號",
    ] {
        redacts(&format!("地址：{address}。"), "地址：[address]。");
    }
    redacts("中关村大街27号线下活动", "[address]线下活动");
    redacts("滨江路12号码头", "[address]码头");
}

#[test]
fn documents_are_found_by_their_word_in_both_scripts() {
    redacts("护照号码：E12345678", "护照号码：[id]");
    redacts("護照號碼：E12345678", "護照號碼：[id]");
    redacts("護照 301234567", "護照 [id]");
    redacts("身份證號碼A123456", "身份證號碼[id]");
    redacts("身分證字號：A123456789", "身分證字號：[id]");
    redacts("港澳通行证 C12345678", "港澳通行证 [id]");
    redacts("港澳通行證 C12345678", "港澳通行證 [id]");
    redacts("驾驶证号 440112345678", "驾驶证号 [id]");
    redacts("駕照號碼 440112345678", "駕照號碼 [id]");
    redacts("居留證 AB12345678", "居留證 [id]");
}

#[test]
fn identity_documents_are_found_by_check_digit_or_word() {
    redacts("SSN 123-45-6789", "SSN [id]");
    redacts("身份证 11010519491231002X", "身份证 [id]");
    redacts("11010519491231002X", "[id]");
    redacts("NIR 1 84 12 76 451 089 46", "NIR [id]");
    redacts("NINO QQ 12 34 56 C", "NINO QQ 12 34 56 C");
    redacts("NINO AB 12 34 56 C", "NINO [id]");
    redacts("Passport No. C01X00T47", "Passport No. [id]");
    redacts("passport number: 123456789", "passport number: [id]");
    redacts("P<UTOERIKSSON<<ANNA<MARIA<<<<<<<<<<<<<<<<<<<", "[id]");
    redacts("DE89 3704 0044 0532 0130 00 AND more", "[iban] AND more");
    redacts("GB82WEST12345698765432", "[iban]");
}

#[test]
fn tokens_and_keys_are_found_by_their_prefix_or_their_chance() {
    redacts("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "[token]");
    redacts("Bearer abc.def-123", "Bearer [token]");
    redacts("BEARER\tabc.def-123", "BEARER\t[token]");
    redacts("bEaReR \t  abc.def-123\t", "bEaReR \t  [token]\t");
    redacts("bearer\r\n abc.def-123", "bearer\r\n [token]");
    redacts("sk-proj-abcdefghij0123456789", "[token]");
    redacts("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "[token]");
    redacts("ghp_16C7e42F292c6912E7710c838347Ae178B4a", "[token]");
    redacts("AKIAIOSFODNN7EXAMPLE", "[token]");
    redacts("xoxb-123456789012-abcdef", "[token]");
    redacts("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "[token]");
    redacts("key 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08", "key [token]");
    redacts("-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\nrest", "[key]\nrest");
    redacts("x -----BEGIN RSA PRIVATE KEY-----\nMIIB", "x [key]");
}

#[test]
fn a_value_after_a_word_for_a_secret_is_redacted() {
    redacts("password=hunter2&x=1", "password=[secret]&x=1");
    redacts(r#"{"password": "hunter 2", "x": 1}"#, r#"{"password": [secret], "x": 1}"#);
    redacts(r#"{\"password\": \"hunter 2\"}"#, r#"{\"password\": [secret]}"#);
    redacts(r#"Login { pwd: Some("hunter 2") }"#, r"Login { pwd: Some([secret]) }");
    redacts("DB_PASSWORD: hunter2", "DB_PASSWORD: [secret]");
    redacts("?sig=abc%2F123&x=1", "?sig=[secret]&x=1");
    redacts("AUTHORIZATION\t:\tBEARER\thunter2", "AUTHORIZATION\t:\t[secret]");
    redacts(r#"{"authorization": "bearer\thunter2"}"#, r#"{"authorization": [secret]}"#);
    redacts("Authorization: Digest a=1, b=2\r\nHost: x", "Authorization: [secret]\r\nHost: x");
    redacts("postgres://app:hunter2@db/mydb", "postgres://[secret]@db/mydb");
    redacts("redis://:p@ss@db:6379", "redis://[secret]@db:6379");
    redacts("password=550e8400-e29b-41d4-a716-446655440000", "password=[secret]");
}
