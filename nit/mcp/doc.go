// Package mcp joins nit and the Model Context Protocol: it serves a view of tools to MCP clients, and imports the tools of other
// MCP servers into a registry.
//
// # Serving
//
// A [Server] is made of a [nit.View] and knows nothing else, so a tool that the view does not have is not there to be listed, called or
// guessed at. Every call goes through [nit.View.Do]; an unknown name and a hidden one get the same answer.
//
//	server, err := mcp.NewServer(func() *nit.View { return tools.View(nit.Principal{Sees: nit.L1}) }, mcp.ServerOptions{})
//	…
//	err = server.Serve(ctx, os.Stdin, os.Stdout)                             // for a client that starts us
//	handler, err := server.Handler(mcp.HTTPOptions{Token: secret})            // for those that find us
//	…
//	http.Handle("/mcp", handler)
//
// Over HTTP a token decides who may call. Without one only programs on this computer are served, so listen on 127.0.0.1 then. A
// request with an Origin, which is a web page's, is refused unless the page is named. Clients of all versions of the protocol are
// served, with the handshake of those up to 2025-11-25 and without.
//
// Beside tools it can show resources, texts that clients read and follow: [Server.SetResources], [Server.ResourceUpdated]. What a view may
// see does not matter to them: all clients of a Server have all of its resources.
//
// # Importing
//
// A [Client] keeps the tools of one foreign server in a registry while it runs. Whatever a server says is taken for hostile text:
//
//   - Its tools are named server__tool, so they can shadow no other's; a name that is taken, or that two of its tools would share, is not imported.
//   - They lie in L3 and are not read-only, unless the host says otherwise of one by [Source.Tools]. A server's readOnlyHint is
//     not read.
//   - What they give is untrusted, and their arguments leave the machine (nit.Gives, nit.OpenWorld), unless the host trusts the
//     server ([Source.Trusted]) or says otherwise of one.
//   - A tool is imported once the host approved it. It is pinned by a hash of its name, description and
//     schema; when one of them changes it is unknown at once, and the host is asked again.
//   - Descriptions, also those in schemas, lose what cannot be seen and what opens markup, and are cut; a schema keeps its
//     rules and loses the rest. What nit does not accept as a schema is not imported.
//   - Instructions, annotations and titles are not read, and the client offers the server nothing: no roots, no
//     sampling, no elicitation. Its notifications are dropped, but for the one that its list changed.
//   - Messages, pages, tools, questions and times are bounded by [ClientLimits], and so is what it may send unasked.
//   - Results are text, as data: pictures and sounds are described, links are not followed.
//   - A process gets the environment that the host wrote down, not ours. Over HTTP no redirect is followed.
//
// When the connection is lost the tools are unknown until it is back.
//
// # Concurrency
//
// All methods of Server and Client may be called concurrently.
//
// # Caveats
//
// A client speaks the protocol up to version 2025-11-25, which has a handshake; a server that knows later ones only is not imported.
// Over HTTP it keeps no stream open for notifications, and finds changes by [ClientOptions.PollInterval]. It has no OAuth: a token is sent as
// a header. A schema that refers to itself is refused, however useful the tool.
package mcp
