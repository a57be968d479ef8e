// tool_runtime_console::Console
#[derive(Debug)]
#[must_use]
pub struct Console {
    ..
}
impl Console {
    pub fn new(api: Router, keys: KeyRing) -> Self {}
    pub fn router(self) -> Router {}
    pub fn session_length(self, session_length: Duration) -> Self {}
    pub fn without_tls(self) -> Self {}
}

