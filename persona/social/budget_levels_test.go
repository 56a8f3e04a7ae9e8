package social_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/heartflow/hfc"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A small budget restricts the bot in steps before it silences it: fewer interjections, one call instead of three and
// shorter prompts; then no interjections; then no keywords; then nothing. Who mentions the bot is answered until then.
func TestBudget_DegradesInSteps(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人在说话"}`}
	var told notices
	budget := newBudget(heartflow.BudgetOptions{HourCalls: 60})
	small := func(o *social.Options) {
		threeCalls(o)
		o.When.Attention.Budget = budget
		o.When.Attention.Policy, o.When.Attention.Keywords = heartflow.Interject{Base: 1}, []string{"猫"}
		o.When.Attention.Caps.Replies, o.When.Attention.Staleness.RepeatWindow = 100, -1
		o.Hooks.Notify = told.add
	}
	model := p.model()
	withFixture(t, model, small, func(f *fixture) {
		for i := range 150 { // fills the history
			f.group.Say(alice, say(fmt.Sprintf("今天第 %d 件事，大家听我讲", i)))
			f.advance(time.Second)
		}
		f.advance(time.Minute)
		order, answered := []string{}, map[heartflow.Level]int{}
		shown := map[heartflow.Level]int{} // messages in the first prompt of each level
		for range 22 {
			for i, m := range []string{"", "那我也说一句", "我家的猫来了"} {
				level := budget.Level(time.Now(), "")
				calls, said := len(model.Prompts()), len(f.sent(f.group.Chat()))
				if i == 0 {
					f.group.Say(alice, at(botID, "在吗"))
				} else {
					f.group.Say(bob, say(m))
				}
				f.advance(50 * time.Second)
				calls, said = len(model.Prompts())-calls, len(f.sent(f.group.Chat()))-said
				step := fmt.Sprintf("%v %s %d", level, []string{"mention", "interjection", "keyword"}[i], calls)
				if !slices.Contains(order, step) {
					order = append(order, step)
				}
				if i == 0 && level != heartflow.LevelOff {
					require.Equal(t, 1, said, "a mention at %v is answered", level)
					answered[level]++
				}
				if calls > 0 && shown[level] == 0 {
					shown[level] = strings.Count(model.Prompts()[len(model.Prompts())-1].Human(), "<msg")
				}
			}
		}
		assert.Subset(t, order, []string{
			"full mention 3", "full interjection 3", "full keyword 3",
			"saving mention 1", "saving keyword 1", "saving interjection 1",
			"no_judge mention 1", "no_judge interjection 0", "no_judge keyword 1",
			"mentions_only mention 1", "mentions_only interjection 0", "mentions_only keyword 0",
			"off mention 0", "off interjection 0", "off keyword 0",
		})
		levels := []string{}
		for _, step := range order {
			level, _, _ := strings.Cut(step, " ")
			levels = append(levels, level)
		}
		assert.Equal(t, []string{"full", "saving", "no_judge", "mentions_only", "off"}, slices.Compact(levels), "%q", order)
		assert.Less(t, 3*shown[heartflow.LevelSaving], 2*shown[heartflow.LevelFull], "messages in a prompt: %v", shown)
		assert.Len(t, answered, 4)

		f.mu.Lock()
		var first []heartflow.Code
		for _, tr := range f.traces {
			for _, c := range tr.Why {
				if slices.Contains([]heartflow.Code{heartflow.WhyOneCall, heartflow.WhyShortContext, heartflow.WhyNoJudge, heartflow.WhyMentionsOnly, heartflow.WhyOverBudget}, c) && !slices.Contains(first, c) {
					first = append(first, c)
				}
			}
		}
		f.mu.Unlock()
		assert.Equal(t, []heartflow.Code{heartflow.WhyShortContext, heartflow.WhyOneCall, heartflow.WhyNoJudge, heartflow.WhyMentionsOnly, heartflow.WhyOverBudget}, first)
		notes := told.all()
		require.Len(t, notes, 4, "%q", notes)
		for i, want := range []string{"少插些话", "没人叫就不说话", "只回 @", "不再用模型"} {
			assert.Contains(t, notes[i], want)
			assert.Contains(t, notes[i], "最近一小时")
			assert.Contains(t, notes[i], "-budget")
			assert.Regexp(t, `最早 01-01 0\d:\d\d 恢复`, notes[i])
		}
		f.advance(2 * time.Hour)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Equal(t, heartflow.LevelFull, budget.Level(time.Now(), ""))
	})
}

// In a focused chat the budget replaces the three calls of a cycle by one, and then ends the focus. From then on every
// message of a private chat is answered until LevelOff.
func TestBudget_FocusSaves(t *testing.T) {
	p := &planner{plan: `{"action": "text_reply", "reasoning": "有人在说话"}`}
	budget := newBudget(heartflow.BudgetOptions{HourCalls: 70})
	withFixture(t, p.model(), func(o *social.Options) {
		flow(hfc.FocusedChat)(o)
		threeCalls(o)
		o.When.Attention.Budget = budget
		o.When.Attention.Caps.Replies, o.When.Attention.Staleness.RepeatWindow = 100, -1
	}, func(f *fixture) {
		friend := f.qq.Friend(2001, "小满")
		parts := map[heartflow.Level][]string{}
		for i := range 55 {
			level, before, said := budget.Level(time.Now(), ""), len(p.asked()), len(f.sent(friend.Chat()))
			friend.Say(say(fmt.Sprintf("在吗，第 %d 次", i)))
			f.advance(time.Minute)
			asked := p.asked()[before:]
			if level == heartflow.LevelOff {
				assert.Empty(t, asked)
				continue
			}
			if len(parts[heartflow.LevelNoJudge]) > 0 { // out of focus
				assert.Greater(t, len(f.sent(friend.Chat())), said, "message %d at %v", i, level)
			}
			if budget.Level(time.Now(), "") == level {
				parts[level] = append(parts[level], asked...)
			}
		}
		assert.Contains(t, parts[heartflow.LevelFull], "想")
		assert.NotContains(t, parts[heartflow.LevelFull], "whole")
		for _, level := range []heartflow.Level{heartflow.LevelSaving, heartflow.LevelNoJudge, heartflow.LevelMentionsOnly} {
			assert.Equal(t, []string{"whole"}, slices.Compact(parts[level]), "%v", level)
		}
		left := slices.ContainsFunc(f.tracesOf(heartflow.KindState), func(tr heartflow.Trace) bool {
			return slices.Equal(tr.Why, []heartflow.Code{hfc.WhyAbsent, heartflow.WhyNoJudge})
		})
		assert.True(t, left, "the focus ends over the budget")
	})
}

// notices collect notices to the owner.
type notices struct {
	mu   sync.Mutex
	list []string
}

func (n *notices) add(_ context.Context, text string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, text)
	return nil
}

func (n *notices) all() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.list)
}

// The owner is notified once per level and hour, or day for a limit of the day, also over a restart.
func TestBudget_OwnerToldOnce(t *testing.T) {
	var told notices
	hour := func(o *social.Options) {
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourCalls: 10, DayCalls: 60})
		o.Hooks.Notify = told.add
	}
	withFixture(t, numbered(), hour, func(f *fixture) {
		ask := func(n int) {
			for range n {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(3 * time.Minute)
			}
		}
		ask(5)
		require.Len(t, told.all(), 1, "half of the hour")
		ask(1)
		f.stop()
		f.start(hour)
		assert.Len(t, told.all(), 1, "no second notice after a restart")
		ask(1)
		require.Len(t, told.all(), 2, "%q", told.all())
		assert.Contains(t, told.all()[1], "没人叫就不说话")
		f.advance(90 * time.Minute)
		ask(5)
		require.Len(t, told.all(), 3, "a new hour")
		assert.Contains(t, told.all()[2], "最近一小时的模型额度用了 50%。先省着用")

		for len(told.all()) < 20 && !strings.Contains(told.all()[len(told.all())-1], "最近一天") {
			ask(4)
			f.advance(time.Hour)
		}
		n := len(told.all())
		assert.Contains(t, told.all()[n-1], "最近一天的模型额度用了 50%。先省着用")
		ask(2)
		f.advance(time.Hour)
		ask(2)
		assert.Len(t, told.all(), n, "once a day")
	})
}
