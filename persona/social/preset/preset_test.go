package preset_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/preset"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func ignore(context.Context, string) error { return nil }

// What the caller sets stays.
func TestGroup_KeepsWhatIsSet(t *testing.T) {
	var registry nit.Registry
	plugins, err := nit.NewPlugins(t.Context(), &registry, nit.PluginOptions{})
	require.NoError(t, err)
	store, flow := memory.NewMemStore(), &hfc.Options{Drift: true}
	given := social.Options{
		Profile:    persona.Profile{Name: "小炉"},
		Storage:    social.Storage{Store: store},
		Tools:      social.Tools{Registry: &registry, Plugins: plugins, Builtin: &social.BuiltinTools{}},
		When:       social.When{HFC: flow},
		Reply:      social.Reply{Speech: &social.Speech{Stream: true}},
		Background: social.Background{Digest: &social.Digest{NoDream: true}, Autonomy: &social.Autonomy{NoInnerState: true, Planner: schedule.PlannerOptions{IdleOrigin: schedule.Origin{Mode: persona.Persona, Person: persona.Account{Platform: "qq", ID: "1"}}}}},
	}
	for name, fill := range map[string]func(context.Context, social.Options) (social.Options, error){"group": preset.Group, "companion": preset.Companion} {
		o, err := fill(t.Context(), given)
		require.NoError(t, err, name)
		assert.Equal(t, given.Profile, o.Profile)
		assert.Same(t, store, o.Storage.Store)
		assert.Same(t, &registry, o.Tools.Registry)
		assert.Same(t, plugins, o.Tools.Plugins)
		assert.Same(t, given.Tools.Builtin, o.Tools.Builtin)
		assert.Same(t, flow, o.When.HFC)
		assert.Equal(t, social.SingleCall, o.Reply.Strategy, "the strategy is that of the given HFC")
		assert.Same(t, given.Reply.Speech, o.Reply.Speech)
		assert.Same(t, given.Background.Digest, o.Background.Digest)
		assert.Equal(t, given.Background.Autonomy, o.Background.Autonomy, name)
	}
	o, err := preset.Group(t.Context(), social.Options{When: social.When{Attention: heartflow.Options{Policy: heartflow.MentionOnly{}}}})
	require.NoError(t, err)
	assert.Nil(t, o.When.HFC, "the policy decides")
	assert.Nil(t, o.Tools.Builtin.Watch, "nobody to report to")
}
