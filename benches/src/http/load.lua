-- A thousand calls of the tool, with a trace of its own each, sent in turn.
local calls = {}
local at = 0

function init(args)
  local key = args[1]
  for number = 1, 1000 do
    local topic = TOPICS[number % #TOPICS + 1]
    local trace = string.format("trace-%04d", number)
    local body = string.format(
      '{"tool_name":"search_content","input":{"query":"%s","limit":5},'
        .. '"context":{"tenant_id":"old-town","site_id":"old-town-main","trace_id":"%s"}}',
      topic, trace)
    calls[number] = wrk.format("POST", "/tools/call", {
      ["Content-Type"] = "application/json",
      ["X-Tenant-ID"] = "old-town",
      ["X-Site-ID"] = "old-town-main",
      ["X-Trace-ID"] = trace,
      ["X-Internal-API-Key"] = key,
    }, body)
  end
end

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
