package days

import (
	"context"
	"encoding/json"
	"regexp"
	"slices"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// stays reports that a turn has a tool though the turn that set it going could not act.
func (d *Days) stays(tool nit.ToolInfo) bool {
	return tool.Tier&nit.L3 == 0 && (tool.ReadOnly || d.engine.Builtin(tool))
}

// allow asks a human for the tools that something needs which an untrusted turn of the owner's plans, and which it would not
// have: those that the turn names, and those whose names stand in the words. It gives all of them or none; refused says that a
// human was asked and did not say yes.
func (d *Days) allow(ctx context.Context, named []string, when, words string) (tools []string, refused bool) {
	t := engine.TurnFrom(ctx)
	if t == nil || !t.Chat.Agent() || t.Background || t.Label().IsTrusted() || d.engine.Tools.Confirm == nil {
		return nil, false
	}
	args, err := json.Marshal(map[string]string{"when": when, "what": words})
	if err != nil {
		return nil, true
	}
	var needed []nit.ToolInfo
	t.View(t.Chat.Principal(false)).HasFunc(func(tool nit.ToolInfo) bool {
		if !d.stays(tool) && (slices.Contains(named, tool.Name) || stands(words, tool.Name)) {
			needed = append(needed, tool)
		}
		return false
	})
	for _, tool := range needed {
		if err := t.Tools.Confirm(ctx, nit.Request{Tool: tool, Args: args}); err != nil {
			d.engine.Log.Info("a tool was not allowed for what is planned", "tool", tool.Name, "why", err)
			return nil, true
		}
		tools = append(tools, tool.Name)
	}
	return tools, false
}

// within denies tools a target that the words do not name: a human allowed them for these words.
func within(words string, tools []string) nit.Policy {
	return func(_ context.Context, r nit.Request) (nit.Decision, error) {
		if to := r.Tool.Target; to != nil && slices.Contains(tools, r.Tool.Name) && !r.Tool.RequestedIn(r.Args, words+"。"+to.CommandWords[0]) { // the act is allowed
			return nit.Deny, nil
		}
		return nit.Allow, nil
	}
}

// stands reports that a name of a tool stands in a text, and is no part of a longer one.
func stands(text, name string) bool {
	found, _ := regexp.MatchString(`\b`+regexp.QuoteMeta(name)+`\b`, text)
	return found
}
