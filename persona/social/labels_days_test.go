package social_test

import (
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fromFriend is the label of what the owner's turn made of the canary.
const fromFriend = "U owner qq:private:2001"

// planCall is a call that plans something for five minutes later.
func planCall(title string, tools ...string) modeltest.Step {
	args := map[string]any{"delay_seconds": 300, "content": map[string]any{"title": title}}
	if len(tools) > 0 {
		args["tools"] = tools
	}
	return modeltest.Call("add_schedule", args)
}

// timerCall is a call that sets a timer for five minutes later.
func timerCall(text string, tools ...string) modeltest.Step {
	args := map[string]any{"when": "5min", "content": text}
	if len(tools) > 0 {
		args["tools"] = tools
	}
	return modeltest.Call("set_timer", args)
}

func (l *lively) day() social.Day {
	l.Helper()
	day, err := l.being.Day(l.Context())
	require.NoError(l, err)
	return day
}

// labels are those of the records of a space that have a text.
func (l *lively) labels(s memory.Space, text string) (labels []string) {
	for r, err := range l.store.Scan(l.Context(), s, 0) {
		require.NoError(l, err)
		if r.Text == text {
			labels = append(labels, r.Labeled().String())
		}
	}
	return labels
}

func TestLabels_ATaskBearsTheWholeLabelOfItsTurn(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.readPrivate(planCall(canary), timerCall(canary))
		l.ask("十分钟后叫我", planCall("散步"), timerCall("喝水"))
		l.again(nil)
		for _, maker := range []persona.Maker{l.day().Planned[0].Maker, l.day().Timers[0].Maker} {
			assert.Equal(t, persona.Maker{Mode: persona.Agent, Shed: true, Label: fromFriend}, maker)
		}
		for _, maker := range []persona.Maker{l.day().Planned[1].Maker, l.day().Timers[1].Maker} {
			assert.Equal(t, persona.Maker{Mode: persona.Agent}, maker)
		}
		l.mu.Lock()
		l.says[planned] = func(p modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		l.mu.Unlock()
		l.pass(20 * time.Minute)
		assert.Equal(t, []string{fromFriend, "T owner"}, l.labels(memory.Owner, "做了"), "what is said of it bears it, too")
	})
}

func TestLabels_ATaskOfAGroupIsOfThatGroup(t *testing.T) {
	withPublic(t, func(l *lively, say func(string)) {
		say("广场上的话")
		l.pass(time.Minute)
		l.answer("", modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": "问候"}}), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "回头打个招呼"))
		l.pass(time.Minute)
		require.Contains(t, l.last(""), "广场上的话")
		require.Len(t, l.day().Planned, 1)
		assert.Equal(t, persona.Maker{Person: persona.Account{Platform: "qq", ID: "1001"}, Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}}, l.day().Planned[0].Maker)
		next := l.ask("有什么计划", planCall("散步"))
		assert.NotContains(t, next.Text(), "问候", "the owner's turn that can act is not shown it")
		assert.Contains(t, l.ask("还有呢").Text(), "散步")
	})
}

func TestLabels_ListingWhatIsPlannedTakesNoPower(t *testing.T) {
	shell := modeltest.Call("shell_exec", map[string]any{"command": "ls"})
	withDays(t, nil, func(l *lively) {
		l.readPrivate(timerCall(canary), planCall(canary))
		l.ask("十分钟后叫我", timerCall("喝水"))
		l.ask("看看定时器", modeltest.Call("list_timers", map[string]any{}), modeltest.Call("delete_schedule", map[string]any{"id": "s1"}), shell)
		all := l.prompts("")
		listed := all[len(all)-1].Results()[0].Content
		assert.NotContains(t, listed, canary)
		assert.Contains(t, listed, "qq:private:2001", "a stub names the chat")
		assert.Contains(t, listed, "喝水")
		assert.Empty(t, l.day().Planned, "what is not shown can be taken back")
		assert.Equal(t, []string{"ls"}, l.ran)
	})
}

func TestLabels_ForgettingAChatForgetsWhatWasPlannedOfIt(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.readPrivate(timerCall(canary), planCall(canary))
		l.ask("十分钟后叫我", timerCall("喝水"), planCall("散步"))
		require.Len(t, l.day().Timers, 2)
		require.Len(t, l.day().Planned, 2)
		_, err := l.being.ForgetChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}, nil)
		require.NoError(t, err)
		day := l.day()
		require.Len(t, day.Timers, 1)
		assert.Equal(t, "喝水", day.Timers[0].Payload)
		require.Len(t, day.Planned, 1)
		assert.Equal(t, "散步", day.Planned[0].Title)
		assert.Empty(t, day.Past)
	})
}

func TestLabels_WhatCameTooLateBearsItsLabel(t *testing.T) {
	late := modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "outdated_seconds": 900, "content": map[string]any{"title": canary}})
	own := modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "outdated_seconds": 900, "content": map[string]any{"title": "散步"}})
	withDays(t, nil, func(l *lively) {
		l.readPrivate(late)
		l.ask("十分钟后散步", own)
		l.stop()
		l.pass(time.Hour)
		l.begin(l.options(nil))
		l.pass(10 * time.Minute)
		assert.Equal(t, []string{fromFriend}, l.labels(memory.Owner, "没赶上计划的事："+canary))
		assert.Equal(t, []string{"T owner"}, l.labels(memory.Owner, "没赶上计划的事：散步"))
	})
}
