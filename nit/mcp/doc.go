// Package mcp connects nit to the Model Context Protocol (MCP). A [Server] offers nit tools to MCP clients such as
// desktop assistants and editors. A [Client] imports the tools of a remote MCP server into a nit.Registry.
//
// A remote server is untrusted. It can describe a tool with a prompt injection, change a tool after its approval (a "rug
// pull"), imitate the tools of others (shadowing), or flood its client. The client pins approved definitions, sanitizes
// all texts and limits everything the server sends.
//
// # Serving
//
// A Server offers the tools of a nit.View. Every call goes through nit.View.Do, and an unknown tool gets the same answer
// as a hidden one.
//
//	server, err := mcp.NewServer(func() *nit.View { return tools.View(nit.Principal{Tiers: nit.L1}) }, mcp.ServerOptions{})
//	…
//	err = server.Serve(ctx, os.Stdin, os.Stdout) // for a client that starts this program
//	handler, err := server.Handler(mcp.HTTPOptions{Token: secret})
//	…
//	http.Handle("/mcp", handler) // for clients that connect over HTTP
//
// Over HTTP clients authenticate with a token. Without a token only programs on this computer are served; listen on
// 127.0.0.1 then. Requests of web pages, which have an Origin header, are rejected unless the page is on the same host or
// allowed.
//
// All protocol versions are served: up to 2025-11-25 with a handshake, later ones without. Over HTTP a handshake begins a
// session. [HTTPOptions.MaxSessions] limits sessions, but not requests without a handshake. JSON-RPC batches are accepted in
// version 2025-03-26, the only one that has them. A message with a duplicate key, or with text after its JSON, is rejected.
// A cancelled request gets no answer. A resource that does not exist has the error code -32002, and -32602 in versions
// without a handshake. The server offers no prompts, completions or logging.
//
// A Server can also offer resources, texts that clients read and subscribe to: see [Server.SetResources] and
// [Server.ResourceUpdated]. All clients of a Server see all of its resources, whatever the view contains.
//
// # Importing
//
// A Client keeps the tools of one server in a registry while it runs:
//
//	client, err := mcp.NewClient(&tools, mcp.Source{
//		Name:  "sky",
//		URL:   "https://sky.example/mcp",
//		Tools: map[string]mcp.ToolConfig{"weather": {Tier: nit.L1, Options: []nit.Option{nit.ReadOnly()}}},
//	}, mcp.ClientOptions{Approve: askOwner, State: store})
//	…
//	err = client.Run(ctx)
//
// These rules apply to imported tools:
//
//   - Names are server__tool, so a tool cannot shadow another one. If a name is taken or two tools would share it, the
//     tool is not imported.
//   - Tools are in tier L3 and not read-only unless [Source.Tier] or [Source.Tools] says otherwise. The server's readOnlyHint is ignored.
//   - Results are untrusted and arguments leave the machine (nit.ResultIntegrity, nit.OpenWorld) unless [Source.Trusted]
//     or the options of the tool say otherwise.
//   - The host approves each tool. The approval is pinned to a hash of name, description and schema. A changed tool is
//     removed at once until it is approved again.
//   - Descriptions lose invisible characters and markup and are truncated. Schemas keep only their rules. A schema that
//     nit rejects is not imported.
//   - Instructions, annotations and titles are ignored. The client offers no roots, sampling or elicitation. It drops all
//     notifications except a changed tool list.
//   - [ClientLimits] limit messages, pages, tools, approvals and times. A rate limit applies to unrequested messages.
//   - Results become text. Images and audio are described, and links are not followed.
//   - A server process inherits no environment. HTTP redirects are not followed.
//
// While the connection is lost, the tools are unknown.
//
// # Concurrency
//
// All methods of Server and Client may be called concurrently.
//
// # Time
//
// Client uses timeouts from ClientLimits, polls the tool list every minute and reconnects with exponential backoff.
//
// # Caveats
//
// The client supports protocol versions up to 2025-11-25, which have a handshake. Servers that support only later versions
// cannot be imported. Over HTTP it opens no notification stream and detects changes by polling, see
// [ClientOptions.PollInterval]. It does not support OAuth; send a token as a header. Recursive schemas are rejected.
package mcp
