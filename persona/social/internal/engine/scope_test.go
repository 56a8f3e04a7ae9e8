package engine

import (
	"context"
	"reflect"
	"testing"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var (
	scopeGroup  = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}
	scopeFriend = persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2"}
	scopeMaster = persona.Chat{Platform: "app", Kind: persona.Private, ID: "master"}
)

// A scopeRow holds the value of one field of Scope in each scope.
type scopeRow struct {
	zero, group, friend, owner, self any
}

func (r scopeRow) cells() map[string]any {
	return map[string]any{"zero": r.zero, "group": r.group, "friend": r.friend, "owner": r.owner, "self": r.self}
}

// scopeFields holds the expected fields of Scope. Values are literals if the value of a constant is part of the rule.
var scopeFields = map[string]scopeRow{
	"Space": {
		zero: memory.Space(""), group: memory.Space("qq:group:1"), friend: memory.Space("qq:private:2"), owner: memory.Space("owner"), self: memory.Space("self"),
	},
	"Label": {
		zero: memory.Label{}, group: memory.Untrusted("qq:group:1"), friend: memory.Untrusted("qq:private:2"), owner: memory.Trusted(memory.Owner), self: memory.Untrusted(),
	},
	"Origin": {
		zero: schedule.Origin{}, group: schedule.Origin{Chat: scopeGroup}, friend: schedule.Origin{Chat: scopeFriend}, owner: schedule.Origin{Mode: persona.Agent},
		self: schedule.Origin{},
	},
	"Shown":   {zero: persona.Chat{}, group: scopeGroup, friend: scopeFriend, owner: scopeMaster, self: persona.Chat{}},
	"Session": {zero: "", group: "group_1", friend: "user_2", owner: "session_master", self: ""},
	"Mode":    {zero: "", group: "", friend: "", owner: "agent", self: "life"},
	"Tiers":   {zero: nit.Tier(0), group: nit.L1 | nit.L2, friend: nit.L1 | nit.L2, owner: nit.L1 | nit.L2 | nit.L3, self: nit.L1 | nit.L2},

	"People":    {zero: false, group: true, friend: true, owner: false, self: true},
	"Energy":    {zero: false, group: true, friend: true, owner: false, self: false},
	"Inner":     {zero: false, group: true, friend: true, owner: true, self: false},
	"Reflects":  {zero: false, group: true, friend: true, owner: false, self: true},
	"Documents": {zero: false, group: false, friend: false, owner: true, self: false},
	"Sources":   {zero: false, group: true, friend: true, owner: false, self: true},
	"InChat":    {zero: false, group: true, friend: true, owner: false, self: false},
	"ToOwner":   {zero: false, group: false, friend: false, owner: true, self: false},
}

// chatScopes returns the scopes of the chats of an engine.
func chatScopes(t *testing.T, e *Engine) map[string]Scope {
	t.Helper()
	scopes := map[string]Scope{"zero": {}, "owner": e.OwnerChat.Scope, "self": e.SelfChat.Scope}
	for name, chat := range map[string]persona.Chat{"group": scopeGroup, "friend": scopeFriend} {
		c, err := e.Chat(t.Context(), chat)
		require.NoError(t, err)
		scopes[name] = c.Scope
	}
	return scopes
}

func scopeEngine(t *testing.T) *Engine {
	t.Helper()
	e, err := New(Options{Profile: persona.Profile{Name: "小炉"}, Model: modeltest.New(), Link: struct{ Link }{}})
	require.NoError(t, err)
	return e
}

func TestScope_EachField(t *testing.T) {
	for name, scope := range chatScopes(t, scopeEngine(t)) {
		got := reflect.ValueOf(scope)
		for field, row := range scopeFields {
			if f := got.FieldByName(field); assert.True(t, f.IsValid(), "Scope has no field %s", field) {
				assert.Equal(t, row.cells()[name], f.Interface(), "%s of the %s scope", field, name)
			}
		}
	}
}

// A new field of Scope must be added to scopeFields.
func TestScope_TableHasAllFields(t *testing.T) {
	for _, f := range reflect.VisibleFields(reflect.TypeFor[Scope]()) {
		row, ok := scopeFields[f.Name]
		if !assert.True(t, ok, "%s is in no row of scopeFields", f.Name) {
			continue
		}
		for name, cell := range row.cells() {
			assert.Equal(t, f.Type, reflect.TypeOf(cell), "%s of the %s scope", f.Name, name)
		}
	}
}

// A background turn has a mode of its own, no tier beyond L2, and never more tiers than the other turns of its scope.
func TestScope_Principal(t *testing.T) {
	cases := map[string]struct {
		spoken, background nit.Principal
		agent              bool
	}{
		"zero": {
			nit.Principal{}, nit.Principal{Mode: "background"}, false,
		},
		"group": {
			nit.Principal{Tiers: nit.L1 | nit.L2, Session: "session_social:group_1"}, nit.Principal{Mode: "background", Tiers: nit.L1 | nit.L2, Session: "session_social:group_1"}, false,
		},
		"friend": {
			nit.Principal{Tiers: nit.L1 | nit.L2, Session: "session_social:user_2"}, nit.Principal{Mode: "background", Tiers: nit.L1 | nit.L2, Session: "session_social:user_2"}, false,
		},
		"owner": {
			nit.Principal{Mode: "agent", Tiers: nit.L1 | nit.L2 | nit.L3, Session: "session_master"},
			nit.Principal{Mode: "background", Tiers: nit.L1 | nit.L2, Session: "session_master"}, true,
		},
		"self": {
			nit.Principal{Mode: "life", Tiers: nit.L1 | nit.L2}, nit.Principal{Mode: "background", Tiers: nit.L1 | nit.L2}, false,
		},
	}
	scopes := chatScopes(t, scopeEngine(t))
	require.Len(t, cases, len(scopes))
	for name, scope := range scopes {
		assert.Equal(t, cases[name].spoken, scope.Principal(false), name)
		assert.Equal(t, cases[name].background, scope.Principal(true), name)
		assert.Equal(t, cases[name].agent, scope.Agent(), name)
	}
}

func TestScope_Tools(t *testing.T) {
	e := scopeEngine(t)
	modes := map[string]string{"persona": nit.ModePersona, "agent": nit.ModeAgent, "life": self.ModeAutonomous, "background": self.ModeBackground}
	for mode, only := range modes {
		for tier, at := range map[string]nit.Tier{"L1": nit.L1, "L2": nit.L2, "L3": nit.L3} {
			tool, err := nit.Define(mode+"_"+tier, at, "does something", func(context.Context, struct{}) (string, error) { return "", nil }, nit.OnlyIn(only))
			require.NoError(t, err)
			require.NoError(t, e.Tools.Add(tool))
		}
	}
	cases := map[string]struct{ spoken, background []string }{
		"zero":   {nil, nil},
		"group":  {[]string{"persona_L1", "persona_L2"}, []string{"background_L1", "background_L2"}},
		"friend": {[]string{"persona_L1", "persona_L2"}, []string{"background_L1", "background_L2"}},
		"owner":  {[]string{"agent_L1", "agent_L2", "agent_L3"}, []string{"background_L1", "background_L2"}},
		"self":   {[]string{"life_L1", "life_L2"}, []string{"background_L1", "background_L2"}},
	}
	shown := func(scope Scope, background bool) (names []string) {
		for _, tool := range e.Tools.View(scope.Principal(background)).Tools() {
			names = append(names, tool.Function.Name)
		}
		return names
	}
	scopes := chatScopes(t, e)
	require.Len(t, cases, len(scopes))
	for name, scope := range scopes {
		assert.Equal(t, cases[name].spoken, shown(scope, false), name)
		assert.Equal(t, cases[name].background, shown(scope, true), "%s, in the background", name)
	}
}

// No scope reads a secret space. A secret space belongs to no chat, and each scope has its own.
func TestScope_SecretSpaces(t *testing.T) {
	e := scopeEngine(t)
	cases := map[string]struct {
		secret memory.Space
		chat   persona.Chat // of the public space
	}{
		"zero":   {"!", persona.Chat{}},
		"group":  {"qq:group:1!", scopeGroup},
		"friend": {"qq:private:2!", scopeFriend},
		"owner":  {"owner!", scopeMaster},
		"self":   {"self!", persona.Chat{}},
	}
	scopes := chatScopes(t, e)
	require.Len(t, cases, len(scopes))
	for name, scope := range scopes {
		want := cases[name]
		assert.False(t, scope.Space.IsSecret(), name)
		assert.Equal(t, want.secret, scope.Space.Secret(), name)
		_, ok, err := e.ChatOfSpace(t.Context(), scope.Space.Secret())
		assert.NoError(t, err)
		assert.False(t, ok, "the secret space of the %s scope is a chat's", name)
		if name == "zero" {
			assert.Error(t, scope.Space.Validate(), "it has no space to read")
			continue
		}
		c, ok, err := e.ChatOfSpace(t.Context(), scope.Space)
		assert.NoError(t, err)
		if assert.Equal(t, want.chat != persona.Chat{}, ok, name) && ok {
			assert.Equal(t, want.chat, c.ID, name)
			assert.Equal(t, scope, c.Scope, name)
		}
	}
}

// A job that a turn created runs in the scope of that turn.
func TestChatOfOrigin_ReturnsChatOfScope(t *testing.T) {
	e := scopeEngine(t)
	for name, scope := range chatScopes(t, e) {
		c, err := e.ChatOfOrigin(t.Context(), scope.Origin)
		require.NoError(t, err)
		if name == "zero" {
			name, scope = "self", e.SelfChat.Scope // the zero Origin is the bot itself
		}
		assert.Equal(t, scope, c.Scope, name)
	}
}
