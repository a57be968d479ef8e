#[derive(ToolFailure)]
enum DeskError<E> {
    #[failure(UNAVAILABLE, retry_after = "2s", effect = "unknown")]
    Rebuilding,
    #[failure(UPSTREAM_ERROR, hide, upstream_status = status, endpoint = "search")]
    Http { status: u16, body: E },
    #[failure(RATE_LIMITED, message = "wait {0} ms", retry_after_ms = _0)]
    Busy(u64),
    #[failure(code = "SEAT_TAKEN", type = RETRYABLE, message = "{{{row:>3}}}", details(row))]
    Taken { row: u8 },
    #[failure(UPSTREAM_ERROR, hide, effect = "none")]
    Unreached,
}

#[derive(ToolFailure)]
#[failure(transparent, crate = renamed)]
struct Outer(Inner);
