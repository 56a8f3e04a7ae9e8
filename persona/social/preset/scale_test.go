package preset_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/buffer"
	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// unscaled lists the durations that Scale leaves alone, with the reason.
var unscaled = map[string]string{
	"Tools.Registry.":             "timeouts of tools",
	"Reply.Turn.Timeout":          "timeout of a model",
	"Reply.Pictures.Timeout":      "timeout of downloads",
	"Background.Digest.Timeout":   "timeout of a model",
	"Background.Autonomy.Timeout": "timeout of a model",
	"When.MaxAge":                 "the platform's clock",
	"When.Attention.MaxAge":       "the platform's clock",
	"When.Attention.QuietHours.":  "times of day",
	"When.HFC.":                   "scaled by HFC.Speed",
}

// everyDuration calls f with the path of each duration in v. It fills nil pointers and empty slices with one zero element,
// so that no field is skipped.
func everyDuration(v reflect.Value, path string, f func(path string, d reflect.Value)) {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		f(path, v)
	case v.Type() == reflect.TypeFor[time.Time](), v.Type() == reflect.TypeFor[time.Location]():
	case v.Kind() == reflect.Pointer:
		if v.IsNil() && strings.HasPrefix(v.Type().Elem().PkgPath(), "github.com/hearth-bot/hearth") {
			v.Set(reflect.New(v.Type().Elem()))
		}
		if !v.IsNil() {
			everyDuration(v.Elem(), path, f)
		}
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Struct:
		if v.Len() == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
		}
		everyDuration(v.Index(0), path, f)
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() {
				everyDuration(v.Field(i), strings.TrimPrefix(path+"."+field.Name, "."), f)
			}
		}
	}
}

func isUnscaled(path string) bool {
	for p := range unscaled {
		if strings.HasPrefix(path, p) {
			return true
		}
	}
	return false
}

// No duration of the options is forgotten: each is divided, whether it is set or has its default, or is listed above.
func TestScale_EveryDuration(t *testing.T) {
	const long = time.Hour
	var set, zero social.Options
	everyDuration(reflect.ValueOf(&set), "", func(_ string, d reflect.Value) { d.SetInt(int64(long)) })
	everyDuration(reflect.ValueOf(&zero), "", func(string, reflect.Value) {})
	set, zero = preset.Scale(set, 4), preset.Scale(zero, 4)

	seen := map[string]bool{}
	everyDuration(reflect.ValueOf(&set), "", func(path string, d reflect.Value) {
		seen[path] = true
		if isUnscaled(path) {
			assert.Equal(t, long, time.Duration(d.Int()), path)
			return
		}
		assert.Equal(t, long/4, time.Duration(d.Int()), "%s is not scaled", path)
	})
	everyDuration(reflect.ValueOf(&zero), "", func(path string, d reflect.Value) {
		if path == "Reply.Speech.Pace.Min" { // 0 means none
			return
		}
		assert.Equal(t, isUnscaled(path), d.Int() == 0, "default of %s", path)
	})
	assert.Greater(t, len(seen), 40)
	for _, path := range []string{"When.Buffer.Debounce", "When.HFC.Leave", "Background.Autonomy.Planner.ConversationGap", "Reply.Speech.Pace.Han"} {
		assert.Contains(t, seen, path)
	}
	assert.EqualValues(t, 4, set.When.HFC.Speed)
}

func TestScale_Defaults(t *testing.T) {
	before := social.Options{
		When:       social.When{Buffer: buffer.Options{UrgentDelay: -1}, HFC: &hfc.Options{Speed: 2}},
		Background: social.Background{Autonomy: &social.Autonomy{Planner: schedule.PlannerOptions{TaskInterval: -1, BackgroundPerHour: -1}}},
		Tools:      social.Tools{Builtin: &social.BuiltinTools{}},
	}
	o := preset.Scale(before, 2.5)
	assert.Equal(t, 8*time.Second, o.When.Buffer.Debounce)
	assert.EqualValues(t, -1, o.When.Buffer.UrgentDelay, "a negative duration has a meaning")
	assert.EqualValues(t, -1, o.Background.Autonomy.Planner.TaskInterval)
	assert.Equal(t, -1, o.Background.Autonomy.Planner.BackgroundPerHour)
	assert.Equal(t, []int{3, 25, 150}, []int{o.Tools.Builtin.Reports.PerMinute, o.Tools.Builtin.Reports.PerHour, o.Tools.Builtin.Reports.PerDay})
	assert.InDelta(t, .25, o.When.Attention.Energy.MinuteGain, 1e-9)
	assert.EqualValues(t, 5, o.When.HFC.Speed)
	assert.EqualValues(t, 2, before.When.HFC.Speed, "the argument stays")
	assert.Zero(t, before.Tools.Builtin.Reports.PerMinute)

	fast := preset.Scale(social.Options{Background: social.Background{Autonomy: &social.Autonomy{}}}, 1e5)
	assert.Equal(t, time.Second, fast.Background.Autonomy.Planner.TaskInterval, "the least that the planner takes")
	assert.Positive(t, fast.When.Buffer.UrgentDelay)
}

// fields returns the paths of the groups' fields that are set.
func fields(o social.Options) (set []string) {
	v := reflect.ValueOf(o)
	for i := range v.NumField() {
		group := v.Type().Field(i)
		if group.Type.Kind() != reflect.Struct || group.Type == reflect.TypeFor[persona.Profile]() {
			continue
		}
		for j := range group.Type.NumField() {
			if !v.Field(i).Field(j).IsZero() {
				set = append(set, group.Name+"."+group.Type.Field(j).Name)
			}
		}
	}
	return set
}

func TestGroup_TurnsEverythingOn(t *testing.T) {
	options := social.Options{Hooks: social.Hooks{Notify: ignore}, Access: social.Access{Owners: []persona.Account{{Platform: "qq", ID: "1"}}}}
	group, err := preset.Group(t.Context(), options)
	require.NoError(t, err)
	companion, err := preset.Companion(t.Context(), options)
	require.NoError(t, err)
	both := []string{
		"Storage.Store", "Tools.Registry", "Tools.Plugins", "Tools.Builtin", "Access.Owners", "Access.Commands", "Access.Redact", "When.Feedback", "Reply.Excuses", "Reply.Speech", "Background.Digest",
		"Background.Autonomy", "Background.Facts", "Background.Expressions", "Hooks.Notify",
	}
	assert.ElementsMatch(t, append(slices.Clone(both), "When.Attention", "When.HFC", "Reply.Strategy"), fields(group))
	assert.ElementsMatch(t, both, fields(companion))
	assert.Equal(t, &heartflow.Begin{}, group.When.Attention.Begin)
	assert.Equal(t, social.JudgeRequests, group.Access.Requests)
	assert.Equal(t, social.ThinkPlanReply, group.Reply.Strategy)
	assert.True(t, group.Tools.Builtin.Notes)
	assert.NotNil(t, group.Tools.Builtin.Watch)
	assert.Zero(t, group.Background.Autonomy.Planner.IdleOrigin, "the rights of the bot itself")
	assert.Equal(t, persona.Agent, companion.Background.Autonomy.Planner.IdleOrigin.Mode)
	alone, err := preset.Group(t.Context(), social.Options{})
	require.NoError(t, err)
	assert.False(t, alone.Access.Commands, "nobody may give commands")
	masked, err := group.Access.Redact(t.Context(), "电话 13812345678")
	require.NoError(t, err)
	assert.NotContains(t, masked, "13812345678")
}
