package social_test

import (
	"context"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// changed returns the changes of settings without their times.
func (f *fixture) changed() []social.Change {
	f.Helper()
	all, err := f.bot.Changes(f.Context())
	require.NoError(f, err)
	for i := range all {
		assert.False(f, all[i].At.IsZero())
		all[i].At = time.Time{}
	}
	return all
}

// Each change says who made it, by a page, by a command, by the file or by code, also after a restart. An erased person's
// commands are gone, and so is an erased chat; the rest stays.
func TestChanges(t *testing.T) {
	withCommands(t, modeltest.Always(modeltest.Say("嗯")), nil, func(f *fixture) {
		ctx := f.Context()
		page := social.WithActor(ctx, "page")
		require.NoError(t, f.bot.Configure(page, techGroup, social.ChatSettings{Policy: "mention", MaxReplies: 5}))
		require.NoError(t, f.bot.Configure(ctx, techGroup, social.ChatSettings{Policy: "mention"}))
		f.group.Say(boss, at(botID, "安静 10分钟"))
		f.advance(time.Minute)
		_, err := f.bot.Reload(ctx, map[persona.Chat]social.ChatSettings{{}: {Keywords: []string{"炉子"}}, techGroup: {Policy: "interject"}})
		require.NoError(t, err)
		require.NoError(t, f.bot.Sleep(page, time.Time{}))
		require.NoError(t, f.bot.Wake(page))
		other := persona.Chat{Platform: "qq", Kind: persona.Group, ID: "77"}
		require.NoError(t, f.bot.Mute(page, other, time.Now().Add(time.Hour)))
		require.Error(t, f.bot.Configure(page, techGroup, social.ChatSettings{Policy: "?"}), "what fails is no change")

		all := f.changed()
		quiet, muted := all[3], all[len(all)-1]
		assert.Equal(t, social.Change{By: "command", Account: qqAccount(boss), Chat: techGroup, Field: "quiet", New: quiet.New}, quiet)
		until, err := time.Parse(time.RFC3339, quiet.New)
		require.NoError(t, err)
		assert.WithinDuration(t, time.Now().Add(9*time.Minute), until, 2*time.Minute)
		assert.Equal(t, social.Change{By: "page", Chat: other, Field: "quiet", New: muted.New}, muted)
		want := []social.Change{
			{By: "page", Chat: techGroup, Field: "policy", New: `"mention"`},
			{By: "page", Chat: techGroup, Field: "max_replies", New: "5"},
			{By: "code", Chat: techGroup, Field: "max_replies", Old: "5"},
			quiet,
			{By: "file", Field: "keywords", New: `["炉子"]`},
			{By: "file", Chat: techGroup, Field: "policy", New: `"interject"`},
			{By: "file", Chat: techGroup, Field: "policy", Old: `"mention"`},
			{By: "page", Field: "sleep", New: "on"},
			{By: "page", Field: "sleep", Old: "on"},
			muted,
		}
		assert.Equal(t, want, all)

		f.stop()
		f.start(withCommandOptions)
		assert.Equal(t, want, f.changed())
		_, err = f.bot.ErasePerson(ctx, qqAccount(boss), nil)
		require.NoError(t, err)
		_, err = f.bot.EraseChat(ctx, other, nil)
		require.NoError(t, err)
		left := append(append([]social.Change{}, want[:3]...), want[4:len(want)-1]...)
		assert.Equal(t, left, f.changed())
		f.stop()
		f.start(withCommandOptions)
		assert.Equal(t, left, f.changed())
		rows, err := f.store.Load(ctx, "change/")
		require.NoError(t, err)
		assert.Len(t, rows, len(left))
	})
}

// At most 500 changes are kept, the last ones.
func TestChanges_Bounded(t *testing.T) {
	withFixture(t, modeltest.New(), nil, func(f *fixture) {
		for i := range 510 {
			require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{MaxReplies: i + 1}))
		}
		all := f.changed()
		require.Len(t, all, 500)
		assert.Equal(t, social.Change{By: "code", Chat: techGroup, Field: "max_replies", Old: "509", New: "510"}, all[499])
		rows, err := f.store.Load(f.Context(), "change/")
		require.NoError(t, err)
		assert.Len(t, rows, 500)
	})
}

// The defaults of a chat are what holds without its overrides.
func TestChatDefaults(t *testing.T) {
	yes, no := true, false
	change := func(o *social.Options) {
		o.When.Settings = map[persona.Chat]social.ChatSettings{{}: {Keywords: []string{"炉子"}}, techGroup: {MaxReplies: 7}}
		o.When.Chats = func(persona.Chat) social.ChatOptions { return social.ChatOptions{Public: true} }
	}
	withFixture(t, modeltest.New(), change, func(f *fixture) {
		require.NoError(t, f.bot.Configure(f.Context(), techGroup, social.ChatSettings{MaxReplies: 99, Public: &no}))
		d := f.bot.ChatDefaults(techGroup)
		assert.Equal(t, social.ChatSettings{
			Off: &no, SpeakLess: &no, NoFocus: &no, Begins: &no, Public: &yes, Names: []string{"小炉"}, Keywords: []string{"炉子"}, Policy: "interject",
			MaxReplies: 7, MaxRepliesPerPerson: 3, MaxInterjections: 6, WindowMinutes: 5, MaxConsecutive: 3,
		}, d.ChatSettings)
		assert.Equal(t, []string{"interject", "mention"}, d.Policies)
		assert.Equal(t, 30, f.bot.ChatDefaults(persona.Chat{Platform: "qq", Kind: persona.Private, ID: "9"}).MaxReplies)
	})
}

// Plugins lists the plugins of the link, of the bot and of the program with the tiers of their tools. A switch outlives a restart.
func TestPlugins(t *testing.T) {
	dice, err := nit.Define("roll_dice", nit.L1, "掷一个骰子", func(context.Context, struct{}) (string, error) { return "4", nil })
	require.NoError(t, err)
	look, err := nit.Define("look", nit.L2, "看一眼", func(context.Context, struct{}) (string, error) { return "", nil })
	require.NoError(t, err)
	options := func(o *social.Options) {
		o.Tools.Registry = &nit.Registry{}
		require.NoError(t, o.Tools.Registry.Add(look))
		o.Tools.Builtin = &social.BuiltinTools{Notes: true}
		var err error
		o.Tools.Plugins, err = nit.NewPlugins(t.Context(), o.Tools.Registry, nit.PluginOptions{State: o.Storage.Store})
		require.NoError(t, err)
		manifest := nit.Manifest{Name: "games", DisplayName: "游戏", Version: "1", Type: "static", Description: "小游戏", Commands: []nit.Command{{Name: "roll_dice", Description: "掷一个骰子"}}}
		require.NoError(t, o.Tools.Plugins.Load(t.Context(), nit.Plugin{Manifest: manifest, Tools: []nit.Tool{dice}}))
	}
	withFixture(t, modeltest.New(), options, func(f *fixture) {
		ctx := f.Context()
		list := func() map[string]social.PluginStatus {
			all, err := f.bot.Plugins(ctx)
			require.NoError(t, err)
			by := map[string]social.PluginStatus{}
			for _, p := range all {
				by[p.Name] = p
			}
			require.Len(t, by, len(all))
			return by
		}
		all := list()
		games, link, own := all["games"], all["social_adapter"], all[""]
		assert.Equal(t, []string{"program", "link", "program"}, []string{games.Source, link.Source, own.Source})
		assert.Equal(t, "游戏", games.Title)
		require.Len(t, games.Tools, 1)
		assert.Equal(t, []string{"", "agent"}, games.Tools[0].On)
		require.Len(t, own.Tools, 1)
		assert.Equal(t, nit.L2, own.Tools[0].Tier)
		assert.True(t, link.Loaded && link.Switchable && len(link.Tools) > 5)
		assert.Contains(t, all, "self")
		assert.Equal(t, "builtin", all["self"].Source)

		require.NoError(t, f.bot.SwitchPlugin(social.WithActor(ctx, "page"), "games", false))
		assert.ErrorIs(t, f.bot.SwitchPlugin(ctx, "nothing", false), social.ErrNoPlugin)
		require.NoError(t, f.bot.SetSocialMode(ctx, false))
		f.stop()
		f.start(options)
		all = list()
		assert.True(t, all["games"].Off)
		assert.Empty(t, all["games"].Tools[0].On)
		link = all["social_adapter"]
		assert.False(t, link.Loaded)
		assert.Empty(t, link.Tools[0].On)
		assert.NotEmpty(t, link.Tools[0].Modes)
		require.NoError(t, f.bot.SwitchPlugin(ctx, "games", true))
		require.NoError(t, f.bot.SetSocialMode(ctx, true))
		all = list()
		assert.False(t, all["games"].Off)
		assert.True(t, all["social_adapter"].Loaded)
		assert.Equal(t, social.Change{By: "page", Field: "plugin", Subject: "games", Old: "on", New: "off"}, f.changed()[0])
	})
}

// The owner cancels and postpones plans from outside, and sees which runs there were, which go on, and who talks.
func TestPlans_FromOutside(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		ctx, owner := f.Context(), schedule.Origin{Mode: persona.Agent}
		f.answer(headTask, modeltest.Say("做完了"))
		add := func(title string, in time.Duration) string {
			task, err := f.bot.AddTask(ctx, schedule.Task{Title: title, Origin: owner, ScheduledAt: time.Now().Add(in)})
			require.NoError(t, err)
			return task.ID
		}
		now, gone, later := add("现在做", time.Minute), add("不做了", time.Minute), add("晚点做", time.Minute)
		require.NoError(t, f.bot.CancelPlan(ctx, gone))
		assert.ErrorIs(t, f.bot.CancelPlan(ctx, "t99"), schedule.ErrNotFound)
		_, err := f.bot.PostponeTask(ctx, later, time.Now().Add(5*time.Hour))
		require.NoError(t, err)
		f.advance(10 * time.Minute)
		plans, err := f.bot.Agenda(ctx)
		require.NoError(t, err)
		require.Len(t, plans.Planned, 1)
		assert.Equal(t, later, plans.Planned[0].ID)
		var ran []social.PastWake
		for _, w := range plans.Wakes {
			if w.Kind == schedule.WakeTask {
				ran = append(ran, w)
			}
		}
		require.Len(t, ran, 1)
		assert.Contains(t, ran[0].ID, now)
		assert.True(t, ran[0].Spoke || ran[0].Error == "")
		assert.False(t, ran[0].Ended.Before(ran[0].Began))
		f.answer("", modeltest.Say("在"))
		_, err = f.bot.OwnerMessage(ctx, "在吗")
		require.NoError(t, err)
		plans, err = f.bot.Agenda(ctx)
		require.NoError(t, err)
		require.NotEmpty(t, plans.Conversations)
		assert.Equal(t, 2, plans.Conversations[len(plans.Conversations)-1].Messages)
		require.NoError(t, f.bot.SetHeartbeat(ctx, time.Minute, true))
		last := f.changed()
		assert.Equal(t, social.Change{By: "code", Field: "heartbeat", Old: "1m0s", New: "off"}, last[len(last)-1])
	})
}

// After somebody was erased the list of runs has none of their runs, and no error, which may quote them.
func TestPlans_ErasedRuns(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		ctx := f.Context()
		f.answer(headTask, modeltest.Fail(assert.AnError), modeltest.Fail(assert.AnError))
		for _, person := range []string{"1001", "1002"} {
			_, err := f.bot.AddTask(ctx, schedule.Task{Title: "一件事", Origin: schedule.Origin{Chat: techGroup, Person: persona.Account{Platform: "qq", ID: person}}})
			require.NoError(t, err)
		}
		f.advance(10 * time.Minute)
		failed := func() (people, errors []string) {
			plans, err := f.bot.Agenda(ctx)
			require.NoError(t, err)
			for _, w := range plans.Wakes {
				if w.Kind == schedule.WakeTask {
					people, errors = append(people, w.Origin.Person.ID), append(errors, w.Error)
				}
			}
			return people, errors
		}
		people, errors := failed()
		require.Equal(t, []string{"1001", "1002"}, people)
		assert.NotEmpty(t, errors[1])
		_, err := f.bot.ErasePerson(ctx, persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		people, errors = failed()
		assert.Equal(t, []string{"1002"}, people)
		assert.Equal(t, []string{""}, errors)
	})
}
