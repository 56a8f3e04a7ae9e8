package days

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona/social/internal/engine"
)

// stays reports that a turn has a tool though the turn that set it going could not act.
func (d *Days) stays(tool nit.Info) bool {
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
	var needed []nit.Info
	t.View(t.Chat.Principal(false)).Some(func(tool nit.Info) bool {
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

// within denies tools a chat or a person that the words do not name: a human allowed them for these words.
func within(words string, tools []string) nit.Policy {
	return func(_ context.Context, r nit.Request) (nit.Decision, error) {
		if !slices.Contains(tools, r.Tool.Name) {
			return nit.Allow, nil
		}
		var to struct {
			Target nit.ID `json:"target_id"`
			Group  nit.ID `json:"group_id"`
			User   nit.ID `json:"user_id"`
		}
		if err := json.Unmarshal(r.Args, &to); err != nil {
			return nit.Deny, err
		}
		for _, id := range [...]nit.ID{to.Target, to.Group, to.User} {
			bare := strings.TrimPrefix(strings.TrimPrefix(string(id), "group_"), "user_")
			if id != "" && !stands(words, string(id)) && !stands(words, bare) {
				return nit.Deny, nil
			}
		}
		return nit.Allow, nil
	}
}

// stands reports that a name stands in a text, and is no part of a longer one.
func stands(text, name string) bool {
	if name == "" {
		return false
	}
	for from := 0; ; {
		at := strings.Index(text[from:], name)
		if at < 0 {
			return false
		}
		at += from
		end := at + len(name)
		if !(at > 0 && goesOn(text[at-1]) && goesOn(name[0])) && !(end < len(text) && goesOn(name[len(name)-1]) && goesOn(text[end])) {
			return true
		}
		from = at + 1
	}
}

// goesOn reports that a name goes on beside a byte.
func goesOn(b byte) bool {
	return b == '_' || '0' <= b && b <= '9' || 'a' <= b && b <= 'z' || 'A' <= b && b <= 'Z'
}
