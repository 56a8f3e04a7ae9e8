package self_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// table is written by hand from the requirements P6 and P16 (notify_master only in persona mode, character_ops in both),
// D6 (normal and background turns), N2 (timers in chats and autonomous turns) and N3 (slots and scratch; the inner state
// only in autonomous turns). Persona mode has no add_notification, because notify_master is its only way to the owner.
var table = []struct{ tool, modes string }{ // p, a, b, l
	{"add_notification", " ab "},
	{"add_schedule", "pabl"},
	{"apply_patch_to_character_state", "  b "},
	{"apply_patch_to_history_tasks", "  b "},
	{"cancel_timer", "pa l"},
	{"character_ops", "pa l"},
	{"delete_schedule", "pabl"},
	{"list_timers", "pa l"},
	{"notify_master", "p   "},
	{"read_notes", "pa l"},
	{"reschedule", "  b "},
	{"set_heartbeat", " a  "},
	{"set_inner_state", "   l"},
	{"set_scratch", "pa l"},
	{"set_slot", "pa l"},
	{"set_timer", "pa l"},
}

var letters = map[string]string{nit.ModePersona: "p", nit.ModeAgent: "a", self.ModeBackground: "b", self.ModeAutonomous: "l"}

// For random principals, each tool is listed and callable exactly where the table says. Elsewhere it is an unknown tool,
// and its name occurs nowhere.
func TestTools_VisibilityByMode(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 4))
	h := newHost(t)
	modes := []string{nit.ModePersona, nit.ModeAgent, self.ModeBackground, self.ModeAutonomous, "persona", "foreground", "Life", "background ", "typo"}
	pick := func(of ...string) string { return of[rng.IntN(len(of))] }
	for range 600 {
		p := nit.Principal{
			Mode: pick(modes...), Tiers: nit.Tier(rng.IntN(256)), Platform: pick("", "qq", "app"), Person: pick("", "7", "owner"),
			Session: pick("", "group_1", "user_7", "session_master"), Turn: pick("", "t"),
		}
		v := h.r.View(p)
		if rng.IntN(3) == 0 {
			v = v.Filter(func(nit.ToolInfo) bool { return true }).WithGuard(func(context.Context, nit.ToolInfo) error { return nil })
		}
		var want, got []string
		letter, known := letters[p.Mode]
		for _, row := range table {
			if known && strings.Contains(row.modes, letter) && p.Tiers&nit.L1 != 0 {
				want = append(want, row.tool)
			}
		}
		text := ""
		for _, tool := range v.Tools() {
			got = append(got, tool.Function.Name)
			text += tool.Function.Description + fmt.Sprint(tool.Function.Parameters)
		}
		require.Equal(t, want, got, "%+v", p)
		for _, row := range table {
			answer := call(t, v, row.tool, object{"no": "such argument"})
			if slices.Contains(want, row.tool) {
				require.Contains(t, answer, "bad arguments", row.tool)
			} else {
				require.Equal(t, "error: unknown tool", answer, row.tool)
				text += answer
			}
		}
		for _, row := range table {
			if !slices.Contains(want, row.tool) && row.tool != "add_schedule" && row.tool != "set_timer" { // the texts about ids name these two
				require.NotContains(t, text, row.tool, "%+v", p)
			}
		}
	}
}

// Tools with facts about the owner or access to the owner's device are unknown to turns that come from a chat, in all modes.
func TestTools_OwnerSessionOnly(t *testing.T) {
	const good = "*** Begin Patch\n@@ ## 自己\n+爱爬山\n*** End Patch"
	for _, session := range []string{"group_1", "user_7", "session_social:group_1"} {
		h := newHost(t)
		p := background
		p.Platform, p.Session = "qq", session
		assert.Equal(t, "error: unknown tool", h.do(p, "add_notification", object{"content": "x"}))
		assert.Equal(t, "error: unknown tool", h.do(p, "apply_patch_to_character_state", object{"patch": good}))
		assert.Equal(t, "error: unknown tool", h.do(p, "apply_patch_to_history_tasks", object{"patch": good}))
		assert.Empty(t, h.did)
	}
	h := newHost(t)
	assert.Equal(t, "已提醒", h.do(agent, "add_notification", object{"title": "喝水", "content": "该喝水了"}))
	assert.Equal(t, "已提醒", h.do(background, "add_notification", object{"content": "休息"}))
	assert.Equal(t, "改好了", h.do(background, "apply_patch_to_character_state", object{"patch": good}))
	assert.Equal(t, []string{"notice 喝水: 该喝水了", "notice : 休息", "patched character_state"}, h.did)
	assert.Equal(t, "## 自己\n爱看番\n爱爬山\n", h.doc)
}

// Tools have another description in persona mode.
func TestTools_DescriptionsByMode(t *testing.T) {
	h := newHost(t)
	told := func(p nit.Principal) map[string]string {
		m := map[string]string{}
		for _, tool := range h.r.View(p).Tools() {
			m[tool.Function.Name] = tool.Function.Description
		}
		return m
	}
	persona, owner := told(group1), told(agent)
	for _, name := range []string{"character_ops", "add_schedule", "set_timer", "list_timers", "set_slot", "set_scratch", "read_notes"} {
		assert.NotEqual(t, persona[name], owner[name], name)
	}
	for name, words := range persona {
		if name != "notify_master" {
			assert.NotContains(t, words, "主人", name)
		}
	}
}

// Nil interfaces have no tools, with and without the plugin.
func TestTools_NilInterfaces(t *testing.T) {
	h := newHost(t)
	all := h.options()
	for want, o := range map[string]self.Options{
		"notify_master": {Reports: all.Reports},
		"character_ops": {Character: all.Character},
		"add_schedule delete_schedule reschedule": {Schedule: all.Schedule},
		"set_heartbeat":                                               {Heartbeat: all.Heartbeat},
		"add_notification":                                            {Notify: all.Notify},
		"set_timer list_timers cancel_timer":                          {Timers: all.Timers},
		"set_slot set_scratch read_notes set_inner_state":             {Notes: all.Notes},
		"apply_patch_to_character_state apply_patch_to_history_tasks": {Documents: all.Documents},
	} {
		plugin, err := self.Plugin(o)
		require.NoError(t, err)
		var names []string
		for _, tool := range plugin.Tools {
			names = append(names, tool.Name())
		}
		assert.Equal(t, want, strings.Join(names, " "))
		plugins, err := nit.NewPlugins(t.Context(), new(nit.Registry), nit.PluginOptions{})
		require.NoError(t, err)
		assert.NoError(t, plugins.Load(t.Context(), plugin), "its manifest tells of these and no other")
	}
	_, err := self.Tools(self.Options{})
	assert.Error(t, err)
	_, err = self.Plugin(self.Options{})
	assert.Error(t, err)
}
