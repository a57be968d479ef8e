-- A thousand calls of the tool in revision 2026-07-28, sent in turn.
function init(args)
  for number = 1, 1000 do
    local topic = TOPICS[number % #TOPICS + 1]
    local body = string.format(
      '{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"search_content",'
        .. '"arguments":{"query":"%s","limit":5},"_meta":{'
        .. '"io.modelcontextprotocol/protocolVersion":"2026-07-28",'
        .. '"io.modelcontextprotocol/clientInfo":{"name":"figures","version":"1.0.0"},'
        .. '"io.modelcontextprotocol/clientCapabilities":{}}}}',
      number, topic)
    calls[number] = wrk.format("POST", "/mcp", {
      ["Content-Type"] = "application/json",
      ["Accept"] = "application/json, text/event-stream",
      ["MCP-Protocol-Version"] = "2026-07-28",
      ["Mcp-Method"] = "tools/call",
      ["Mcp-Name"] = "search_content",
    }, body)
  end
end
