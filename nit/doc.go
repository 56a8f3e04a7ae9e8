// Package nit gives language models tools (function calling) and decides which tools a caller can see and call.
//
// A chat bot talks to strangers and also works for its owner. Its model must not reach the owner's files from a group
// chat, and a prompt injection must not make it act. nit controls every tool call: access by tier and mode, argument
// validation, rate limits, policies, human confirmation, timeouts, redaction of results and an audit log.
//
// [Define] makes a [Tool] from a Go function and infers the JSON schema of its parameters. A [Registry] holds the tools.
// A [View] lists and calls the tools that one [Principal] may use; make one for each turn.
//
//	type roll struct {
//		Sides int `json:"sides,omitempty" jsonschema:"how many sides, 6 if left out"`
//	}
//	dice, err := nit.Define("dice", nit.L1, "掷一次骰子", func(ctx context.Context, in roll) (int, error) {
//		return 1 + rand.IntN(cmp.Or(in.Sides, 6)), nil
//	}, nit.ReadOnly())
//	…
//	var tools nit.Registry
//	err = tools.Add(dice)
//	view := tools.View(nit.Principal{Tiers: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
//	model.GenerateContent(ctx, messages, llms.WithTools(view.Tools()))
//	answer := view.Call(ctx, toolCall) // send it back to the model
//
// # Access control
//
// A tool has one [Tier], an argument of Define. In persona/social these turns see it:
//
//	L1  everybody: turns in chats and turns of the owner
//	L2  the same, but outside ModeAgent the result is masked by Registry.Redact
//	L3  the owner alone: turns that your code starts with Bot.OwnerMessage
//
// So a tool for the owner alone is L3. A tool is also shown in modes: [ModePersona] and [ModeAgent] by default. A principal
// sees the tiers that it names, and L3 only in ModeAgent. Zero values see nothing.
//
// A view does not contain hidden tools. A call of a hidden, disabled, removed or missing tool gets the same answer,
// [ErrUnknownTool], at the same cost. The answer never repeats the name. Other error texts quote no values. The full reason
// goes to Registry.Logger and Registry.Audit only.
//
// # Calls
//
// [View.Call] and [View.Do] are the only ways to run a tool. Each call takes these steps:
//
//   - charge the quotas of the view and the registry
//   - find the tool in the view
//   - parse the arguments strictly and validate them against the schema
//   - ask the policies, and a human if a policy demands it
//   - run the guards, unless the tool is [ReadOnly] or [SelfCommitting]
//   - run the tool with a timeout
//   - clean, redact and truncate the result
//
// A repeated call with the same id is not executed again: it gets the first result. [View.WithGuard], [View.WithPolicy] and
// [View.Filter] derive views with fewer rights.
//
// # Rate limits and policies
//
// [Limits] apply to one view, so to one turn. A [Quota] limits all views together by person, session and tool:
//
//	quota, err := nit.NewQuota(nit.QuotaOptions{
//		PerPerson: nit.Rate{Calls: 20, Per: time.Hour},
//		ToolRates: map[string]nit.Rate{"qq_poke": {Calls: 3, Per: time.Minute}},
//	})
//	tools := nit.Registry{Quota: quota, Policy: decide, Confirm: askOwner}
//
// A [Policy] returns [Allow], [Ask] or [Deny] for each call. [Confirm] asks a human. A tool with [RequireConfirmation] always needs
// confirmation. A tool with [RevokesAfterUse] returns untrusted text: after its call, tools with effects are revoked for the rest
// of the turn, or need confirmation.
//
// # Information flow
//
// A tool declares facts for a policy that tracks provenance and taint. [ResultIntegrity] says whether strangers influence its
// results. [OpenWorld] says that its arguments leave the machine. [ActsOn] names the arguments with its target and the
// words that people use to request the action. [ToolInfo.RequestedIn] and [ToolInfo.ArgumentsFoundIn] check whether a message of the owner
// requests exactly this call. [View.WithAudit] reports each call.
//
//	kick, err := nit.Define("kick", nit.L1, "移出一个成员", remove, nit.ResultIntegrity(nit.Trusted),
//		nit.ActsOn([]string{"踢", "移出", "kick"}, "group_id", "user_id"))
//	…
//	view = view.WithPolicy(func(ctx context.Context, r nit.Request) (nit.Decision, error) {
//		if tainted(ctx) && r.Tool.Target != nil && !r.Tool.RequestedIn(r.Args, typedByTheOwner) {
//			return nit.Ask, nil
//		}
//		return nit.Allow, nil
//	})
//
// # Plugins
//
// A [Plugin] bundles tools with settings, lifecycle hooks and a [Manifest], which [ParseManifest] reads from a
// description.json. [Plugins] loads, reloads and unloads plugins at run time, stores their settings and switches in a
// [State], and connects them by messages, broadcasts and requests:
//
//	plugins, err := nit.NewPlugins(ctx, &tools, nit.PluginOptions{State: store})
//	err = plugins.Load(ctx, nit.Plugin{Manifest: *manifest, Tools: social})
//	err = plugins.SwitchPlugin(ctx, "social_adapter", nit.Switch{OffModes: []string{nit.ModeAgent}})
//	go plugins.Run(ctx) // delivers messages, broadcasts and changed settings
//	err = plugins.Request(ctx, "social_adapter", "members", 123456, &members)
//
// The tools of a plugin that is unloaded or switched off are unknown. A manifest describes tools and grants nothing.
//
// # Schemas
//
// [DefineRaw] takes a JSON schema from a remote server. It rejects a schema that would slow down or crash the validator.
// Registry.Dialect and [View.WithDialect] convert schemas for models that support only a part of JSON schema.
//
// # Time
//
// A call ends when its tool returns, or one second after its timeout or context ended. A tool that ignores its context
// is abandoned and keeps running; [Registry.Wait] waits for such tools at shutdown. A call that needs confirmation can
// take Limits.ConfirmTimeout longer. [Plugins.Unload] waits for the running calls of its plugin.
//
// # Concurrency
//
// All methods of Registry, View, Quota and Plugins may be called concurrently, also from a running tool. A tool must not
// unload its own plugin, and OnRequest must not either: they would wait for themselves.
//
// # Caveats
//
// A default in a schema is shown to the model but not filled in. A type union is shown as its first type. An optional
// argument may be null, with the same meaning as an omitted one. Google's models require the called name in every tool
// response, also for unknown tools: set it on the response yourself.
package nit
