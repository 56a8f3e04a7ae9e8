// Package nit is for tools that a model may call, and for keeping those it may not call out of its sight.
//
// [Define] makes a [Tool] of a Go function; the parameters that models are shown are inferred from its argument
// type, and what they send is checked against them. A [Registry] holds the tools of a program. For each turn it
// makes a [View] for a [Principal]: the tools that this principal may see, to list and to call.
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
//	view := tools.View(nit.Principal{Sees: nit.L1 | nit.L2, Platform: "qq", Session: "group_123"})
//	model.GenerateContent(ctx, messages, llms.WithTools(view.Tools()))
//	answer := view.Call(ctx, toolCall) // goes back to the model
//
// # Who sees what
//
// Every tool lies in a [Tier], an argument of [Define]: L1 talks to people, L2 reads what is the owner's, L3 reaches the owner's
// computer. It is shown in modes, [ModePersona] and [ModeAgent] if none is named. A principal sees the tiers of its Sees, and L3 in agent mode only. Zero values see nothing: the zero
// Principal, the zero View, a mode that no tool names. In all modes but the agent's, what an L2 tool gives
// passes Registry.Redact before the model sees it.
//
// A tool that the principal does not see is not in the view at all. A call to it is answered as one to a tool that does not
// exist, was disabled or removed since: in the same bytes, with the same error, [ErrUnknownTool], at the
// same price. The answer never repeats the name. What the model gets of other failures is free of values, too; the full
// reason goes to Registry.Logger and Registry.Audit, which are the operator's.
//
// # The door
//
// [View.Call] and [View.Do] are the one way to a tool. In this order they charge the view's quota and the registry's, resolve
// the name in the view, read the arguments (strictly: a key given twice or in another case is refused), check them,
// ask the policies and, where one wants it, a human, ask the guards of the view unless the tool is [ReadOnly] or [SelfCommitting],
// run the tool with a timeout, and clean, redact and cut what it returned. [View.WithGuard], [View.WithPolicy] and [View.Filter] make
// views that allow less, never more. A call that comes again, with its id, is answered as it was the first time.
//
// # Quotas and policies
//
// Limits bound one view, which is one turn. A [Quota] bounds all of them together, by person, session and tool:
//
//	quota, err := nit.NewQuota(nit.QuotaOptions{
//		Person: nit.Rate{Calls: 20, Per: time.Hour},
//		Tools:  map[string]nit.Rate{"qq_poke": {Calls: 3, Per: time.Minute}},
//	})
//	tools := nit.Registry{Quota: quota, Policy: decide, Confirm: askOwner}
//
// A [Policy] says of each call [Allow], [Ask] or [Deny]; [Confirm] asks the human. [RequireConfirmation] makes a tool ask always, and
// [RevokesAfterUse] says of a tool that after it was called, in a turn that now knows what strangers wrote, those that act are gone or
// ask. What is ReadOnly stays.
//
// # Information flow
//
// A tool says what a policy of information flow must know, and an [ToolInfo] tells it: [ResultIntegrity], whether others may have had a hand
// in what it gives; [OpenWorld], that its arguments leave the machine; [ActsOn], which arguments say on whom it acts, and with
// which words people order that. [ToolInfo.RequestedIn] and [ToolInfo.ArgumentsFoundIn] tell whether a message of the owner's orders the very call.
// [View.WithAudit] tells of each call, and so of those whose tool was shed.
//
//	kick, err := nit.Define("kick", nit.L1, "移出一个成员", remove, nit.Gives(nit.Trusted),
//		nit.ActsOn([]string{"踢", "移出", "kick"}, "group_id", "user_id"))
//	…
//	view = view.Under(func(ctx context.Context, r nit.Request) (nit.Decision, error) {
//		if tainted(ctx) && r.Tool.Target != nil && !r.Tool.NamedIn(r.Args, typedByTheOwner) {
//			return nit.Ask, nil
//		}
//		return nit.Allow, nil
//	})
//
// # Plugins
//
// A [Plugin] is a value: a [Manifest], which [ParseManifest] reads from a description.json, tools, settings, and what
// it does when it comes, hears something and goes. [Plugins] loads, reloads and unloads plugins while the program runs, keeps their
// settings and switches in a [State], and brings messages from one to another:
//
//	plugins, err := nit.NewPlugins(ctx, &tools, nit.PluginOptions{State: store})
//	err = plugins.Load(ctx, nit.Plugin{Manifest: *manifest, Tools: social})
//	err = plugins.SwitchPlugin(ctx, "social_adapter", nit.Switch{Modes: []string{nit.ModeAgent}}) // off there
//	go plugins.Run(ctx) // for messages and changed settings
//
// A plugin that is not loaded, or switched off, is unknown, and so are its tools. A manifest describes and grants nothing.
//
// # Other schemas, other models
//
// [DefineRaw] takes a schema from elsewhere, and refuses one that would take the validator long, or the process with it.
// Registry.Dialect and [View.WithDialect] list tools for models that do not take all of JSON schema.
//
// # Time
//
// A call ends when the tool does, or a second after its timeout or its context did. A tool that does not heed its
// context is left to itself then, and [Registry.Wait] waits for such at the end of a program. A call whose human thinks takes as long
// as Limits.Confirm more. [Plugins.Unload] waits for the calls of its plugin.
//
// # Concurrency
//
// All methods of Registry, View, Quota and Plugins may be called concurrently, also from a running tool; but a tool that unloads its own plugin
// waits for itself.
//
// # Caveats
//
// A default in a schema is told to the model, not filled in. A union of types is shown to the model as the first of
// them. An optional argument may be null, which means left out. Google's models want the name that
// they called on every answer; a turn that uses one sets it on the answer itself.
package nit
