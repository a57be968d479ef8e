-- A thousand calls of the tool, with a trace of its own each, sent in turn.
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
