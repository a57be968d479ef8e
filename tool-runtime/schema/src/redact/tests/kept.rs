//! Harmless values that look sensitive.

use super::redacts;

#[track_caller]
fn survives(text: &str) {
    redacts(text, text);
}

#[test]
fn identifiers_and_hashes_in_logs_survive() {
    survives("550e8400-e29b-41d4-a716-446655440000");
    survives("12345678-1234-1234-1234-123456789012");
    survives("run_0190a6e8-5c1b-7d3e-8f00-5b8e2f1a9c3d");
    survives("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01");
    survives("trace 4bf92f3577b34da6a3ce929d0e0e4736");
    survives("01ARZ3NDEKTSV4RRFFQ69G5FAV");
    survives("commit 37788de1f0b34da6a3ce929d0e0e47360123abcd");
    survives("sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
    survives("sha384-oqVuAfXRKap7fdgcCY5uykM6+R9GqQ8K/uxy9rx7HNQlGYl1kPzQho1wx4JwY8wC");
    survives("pii:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08");
}

#[test]
fn times_prices_and_versions_survive() {
    survives("2024-02-30T12:34:56.789+02:00 and 2024-02-30 12:34");
    survives("1718000000 1718000000123 1718000000123456");
    survives("$1,234,567.89 or 1.234.567,89 € or 1 234 567");
    survives("v1.22.333 and 10.0.0.1:8080 and 1.85.0-nightly.20240101");
    survives("3.1415926535897932 0.0001234567890123");
    survives("01.02.2024 12:30 and 12/31/2024");
    survives("took 123456 ms, 5 of 10, 50-100");
}

#[test]
fn order_numbers_and_names_in_code_survive() {
    survives("order 4711 and order 100234567");
    survives("ORD-2024-000123 and INV/2024/00017");
    survives("4111 1111 1111 1112");
    survives("GB82WEST12345698765433");
    survives("110105194912310021");
    survives("tool_runtime::schema::validator::keywords::dependent_names");
    survives("/usr/share/projects/SomeThing/src/main2/resources/Application.java");
    survives("my-service-deployment-with-a-long-name-7d4b9c6f5d-x2x9z");
    survives("ThisIsAVeryLongCamelCaseIdentifierOfSomeJavaClassFactory");
}

#[test]
fn chinese_numbers_that_are_no_address_survive() {
    survives("地铁2号线，世纪大道2号线");
    survives("捷運2號線，市政府站");
    survives("5月12号见，5月12號見");
    survives("订单编号12345，訂單編號12345");
    survives("第3号和第4号，2号楼");
    survives("身份证已过期，護照已過期");
    survives("一座三室两厅的房子，三号楼三室一厅");
    survives("三栋二户，两座五室，一幢十二户");
    survives("A座三室，B座12号，A座和B座");
    survives("买了一条5号电池，第四十条22号，第二条3号");
    survives("三座大桥，十二号楼，邨里的5号");
}

#[test]
fn prose_survives() {
    survives("the basic instructions and the bearer authentication of a token exchange");
    survives("token: expired, max_tokens: 100, secret: none");
    survives("Spring 2024, Monitoring 3, chapter 12 Way too long");
    survives("react@18.2.0 and @scope/pkg@1.2.3 and user@localhost");
    survives("see https://example.com/a@b and ssh://git@example/x");
    survives("one of 3, 5 or 10 20 30 40 50 60 70 80");
    survives("");
}
