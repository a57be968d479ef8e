-- Sends the calls in turn, and prints the counts of a run. A script before this one fills `calls` in `init`.

function request()
  at = at % #calls + 1
  return calls[at]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    "wrk: requests=%d not_2xx=%d lost=%d p50_us=%d p99_us=%d\n",
    summary.requests, errors.status, errors.connect + errors.read + errors.write + errors.timeout,
    latency:percentile(50), latency:percentile(99)))
end
