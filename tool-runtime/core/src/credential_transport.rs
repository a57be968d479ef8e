//! Recognises the URLs of this machine: only to them are credentials sent without TLS.

use std::net::IpAddr;

use reqwest::Url;

/// Returns whether the host of a URL is this machine.
#[must_use]
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or_default();
    let address = host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

/// Returns whether requests to a URL are readable on a network: without TLS, and not to this machine.
#[must_use]
pub fn is_cleartext(url: &Url) -> bool {
    url.scheme() == "http" && !is_loopback(url)
}

#[cfg(test)]
mod tests {
    use reqwest::Url;

    use super::is_loopback;

    #[test]
    fn only_the_names_and_addresses_of_this_machine_are_loopback() {
        let is_loopback = |url: &str| is_loopback(&Url::parse(url).expect("it is a URL"));
        for url in ["http://localhost:1/x", "http://127.8.0.1/", "http://[::1]:80/"] {
            assert!(is_loopback(url), "{url}");
        }
        for url in
            ["http://localhost.example/", "http://10.0.0.1/", "http://[::2]/", "data:localhost"]
        {
            assert!(!is_loopback(url), "{url}");
        }
    }
}
