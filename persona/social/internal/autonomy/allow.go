package autonomy

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// keptWhenRestricted reports whether a restricted turn keeps a tool: a built-in or read-only one below tier L3.
func (a *Autonomy) keptWhenRestricted(tool nit.ToolInfo) bool {
	return tool.Tier&nit.L3 == 0 && (tool.ReadOnly || a.engine.IsBuiltin(tool))
}

// confirmTools asks a human to allow tools for a task or timer that an untrusted turn of the owner plans, and that
// would be restricted without them. It asks for the named tools and for every tool whose name is in the text. All of
// them are allowed or none. refused reports that the human was asked and did not confirm all of them.
func (a *Autonomy) confirmTools(ctx context.Context, named []string, when, words string) (tools []string, refused bool) {
	t := engine.TurnFrom(ctx)
	if t == nil || !t.Chat.Agent() || t.Background || t.Label().IsTrusted() || a.engine.Tools.Confirm == nil {
		return nil, false
	}
	args, err := json.Marshal(map[string]string{"when": when, "what": words})
	if err != nil {
		return nil, true
	}
	var needed []nit.ToolInfo
	t.View(t.Chat.Principal(false)).HasFunc(func(tool nit.ToolInfo) bool {
		if !a.keptWhenRestricted(tool) && (slices.Contains(named, tool.Name) || containsName(words, tool.Name)) {
			needed = append(needed, tool)
		}
		return false
	})
	for _, tool := range needed {
		if err := t.Tools.Confirm(ctx, nit.Request{Tool: tool, Args: args}); err != nil {
			a.engine.Log.Info("a human refused a tool of a planned action", "tool", tool.Name, "err", err)
			return nil, true
		}
		tools = append(tools, tool.Name)
	}
	return tools, false
}

// limitTargets denies a confirmed tool any target that the text does not name, because the human confirmed that text.
func limitTargets(words string, tools []string) nit.Policy {
	return func(_ context.Context, r nit.Request) (nit.Decision, error) {
		if to := r.Tool.Target; to != nil && slices.Contains(tools, r.Tool.Name) && !r.Tool.RequestedIn(r.Args, words+"。"+to.CommandWords[0]) { // append a command word: the action itself is confirmed
			return nit.Deny, nil
		}
		return nit.Allow, nil
	}
}

// containsName reports whether text contains the name of a tool as a whole word.
func containsName(text, name string) bool {
	found, _ := regexp.MatchString(`\b`+regexp.QuoteMeta(name)+`\b`, text)
	return found
}
