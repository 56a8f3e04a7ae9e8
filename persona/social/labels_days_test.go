package social_test

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/self"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/modeltest"
	"github.com/hearth-bot/hearth/persona/schedule"
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

func (l *lively) day() social.Agenda {
	l.Helper()
	day, err := l.being.Agenda(l.Context())
	require.NoError(l, err)
	return day
}

// labelled are the labels of the records of a space that have a text.
func (l *lively) labelled(s memory.Space, text string) (labels []string) {
	for r, err := range l.store.Scan(l.Context(), s, 0) {
		require.NoError(l, err)
		if r.Text == text {
			labels = append(labels, r.LabelOrDefault().String())
		}
	}
	return labels
}

func TestLabels_ATaskBearsTheWholeLabelOfItsTurn(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.readPrivate(planCall(canary), timerCall(canary))
		l.ask("十分钟后叫我", planCall("散步"), timerCall("喝水"))
		l.again(nil)
		for _, maker := range []schedule.Origin{l.day().Planned[0].Origin, l.day().Timers[0].Origin} {
			assert.Equal(t, schedule.Origin{Mode: persona.Agent, Restricted: true, Label: fromFriend}, maker)
		}
		for _, maker := range []schedule.Origin{l.day().Planned[1].Origin, l.day().Timers[1].Origin} {
			assert.Equal(t, schedule.Origin{Mode: persona.Agent}, maker)
		}
		l.mu.Lock()
		l.says[planned] = func(p modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		l.mu.Unlock()
		l.pass(20 * time.Minute)
		assert.Equal(t, []string{fromFriend, "T owner"}, l.labelled(memory.Owner, "做了"), "what is said of it bears it, too")
	})
}

func TestLabels_ATaskOfAGroupIsOfWhatItWasShown(t *testing.T) {
	withPublic(t, func(l *lively, say func(string)) {
		say("广场上的话")
		l.pass(time.Minute)
		l.answer("", modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": "问候"}}), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "回头打个招呼"))
		l.pass(time.Minute)
		require.Contains(t, l.last(""), "广场上的话")
		require.Len(t, l.day().Planned, 1)
		assert.Equal(t, schedule.Origin{
			Person: persona.Account{Platform: "qq", ID: "1001"}, Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Label: "U qq:group:1 qq:group:2",
		}, l.day().Planned[0].Origin)
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
		listed := all[len(all)-1].ToolResults()[0].Content
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
		_, err := l.being.EraseChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}, nil)
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
		assert.Equal(t, []string{fromFriend}, l.labelled(memory.Owner, "没赶上计划的事："+canary))
		assert.Equal(t, []string{"T owner"}, l.labelled(memory.Owner, "没赶上计划的事：散步"))
	})
}

// A human is asked about calls.
type human struct {
	mu    sync.Mutex
	asked []nit.Request
	no    bool
	hangs bool // there is no answer
}

func (h *human) confirm(ctx context.Context, r nit.Request) (bool, error) {
	h.mu.Lock()
	h.asked = append(h.asked, r)
	h.mu.Unlock()
	if h.hangs {
		<-ctx.Done()
		return true, nil
	}
	return !h.no, nil
}

// questions are what the human was asked: tools, and what for.
func (h *human) questions() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.asked {
		all = append(all, r.Tool.Name+" "+string(r.Args))
	}
	return all
}

// withHuman is withDays with a human to ask, and a tool that acts beside the shell.
func withHuman(t *testing.T, change func(*social.Options), test func(l *lively, h *human)) {
	h := &human{}
	withDays(t, func(o *social.Options) {
		o.Tools.Registry.Confirm = h.confirm
		o.Reply.Turn.Timeout = time.Hour
		own, err := nit.Define("file_write", nit.L3, "writes a file", func(context.Context, struct{}) (string, error) { return "", nil })
		require.NoError(t, err)
		require.NoError(t, o.Tools.Registry.Add(own))
		if change != nil {
			change(o)
		}
	}, func(l *lively) { test(l, h) })
}

const cleaning = "用 shell_exec 清理磁盘"

var clean = modeltest.Call("shell_exec", map[string]any{"command": "clean"})

func TestLabels_WhatAHumanAllowedActsLater(t *testing.T) {
	for name, c := range map[string]struct {
		set  modeltest.Step
		head string
		args map[string]string
	}{
		"timer, named":     {timerCall("清理磁盘", "shell_exec", "no_such_tool"), timed, map[string]string{"when": "5min", "what": "清理磁盘"}},
		"timer, literally": {timerCall(cleaning), timed, map[string]string{"when": "5min", "what": cleaning}},
		"task, named":      {planCall("清理磁盘", "shell_exec"), planned, map[string]string{"when": "", "what": "清理磁盘"}},
		"task, literally":  {planCall(cleaning), planned, map[string]string{"when": "", "what": cleaning}},
	} {
		t.Run(name, func(t *testing.T) {
			withHuman(t, nil, func(l *lively, h *human) {
				l.readPrivate(c.set)
				require.Len(t, h.questions(), 1)
				asked := h.asked[0]
				assert.Equal(t, "shell_exec", asked.Tool.Name)
				assert.Equal(t, nit.ModeAgent, asked.Principal.Mode)
				var args map[string]string
				require.NoError(t, json.Unmarshal(asked.Args, &args))
				assert.NotEmpty(t, args["when"])
				c.args["when"] = cmp.Or(c.args["when"], args["when"])
				assert.Equal(t, c.args, args)
				l.again(l.change)
				l.answer(c.head, clean, modeltest.Say("清理好了"))
				l.pass(20 * time.Minute)
				assert.Equal(t, []string{"clean"}, l.ran)
				assert.Len(t, h.questions(), 1, "it is not asked about again")
				assert.Equal(t, []string{"清理好了"}, l.heard())
				assert.Empty(t, l.notices())
				tools := l.prompts(c.head)[0].ToolNames()
				assert.Contains(t, tools, "shell_exec")
				for _, gone := range []string{"file_write", "memory_edit", "qq_send_text"} {
					assert.NotContains(t, tools, gone, "it was not allowed")
				}
				assert.Equal(t, []string{"T owner qq:private:2001"}, l.labelled(memory.Owner, "清理好了"), "the words were endorsed, and stay the owner's")
				assert.NotContains(t, l.prompts(c.head)[0].Text(), canary, "other things that were read were not")
			})
		})
	}
}

func TestLabels_WhatAHumanRefusedDoesNotAct(t *testing.T) {
	for name, hangs := range map[string]bool{"a no": false, "no answer": true} {
		t.Run(name, func(t *testing.T) {
			withHuman(t, nil, func(l *lively, h *human) {
				h.no, h.hangs = !hangs, hangs
				began := time.Now()
				l.readPrivate(timerCall(cleaning, "file_write"))
				if hangs {
					assert.GreaterOrEqual(t, time.Since(began), 2*time.Minute)
				}
				require.Len(t, h.questions(), 1, "the first no ends it")
				require.Len(t, l.notices(), 1)
				assert.Contains(t, l.notices()[0], cleaning)
				h.no, h.hangs = false, false
				l.answer(timed, clean, modeltest.Say("没做成"))
				l.pass(20 * time.Minute)
				assert.Empty(t, l.ran)
				assert.Len(t, h.questions(), 1)
				assert.NotContains(t, l.prompts(timed)[0].ToolNames(), "shell_exec")
				assert.Len(t, l.notices(), 1)
			})
		})
	}
}

func TestLabels_OnlyWhatWouldBeGoneIsAskedAbout(t *testing.T) {
	withHuman(t, nil, func(l *lively, h *human) {
		l.readPrivate(timerCall("喝水"), timerCall("查一查", "read_owner_memory"), timerCall("my_shell_exec_tool"))
		l.ask("五分钟后清理", timerCall(cleaning, "shell_exec"))
		l.answer("", timerCall(cleaning, "shell_exec"), modeltest.Say("好"))
		l.group.Say(alice, at(bot, "五分钟后清理"))
		l.pass(time.Minute)
		require.Len(t, l.day().Timers, 5)
		assert.Empty(t, h.questions())
		assert.Empty(t, l.notices())
		for _, timer := range l.day().Timers {
			assert.Empty(t, timer.Allowed)
		}
	})
}

func TestLabels_WithoutAHumanTheOwnerIsToldOnce(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.readPrivate(timerCall(cleaning, "shell_exec"))
		require.Len(t, l.notices(), 1)
		assert.Contains(t, l.notices()[0], cleaning)
		l.answer(timed, clean, modeltest.Say("没做成"))
		l.pass(20 * time.Minute)
		assert.Empty(t, l.ran)
		assert.Len(t, l.notices(), 1)
	})
}

// TestLabels_WhatWasAllowedIsForTheseWords: a row that says something else may use nothing.
func TestLabels_WhatWasAllowedIsForTheseWords(t *testing.T) {
	for _, change := range [][2]string{{"", ""}, {"清理磁盘", "清空磁盘"}, {`"spec":"5min"`, `"spec":"6min"`}} {
		withHuman(t, nil, func(l *lively, h *human) {
			l.readPrivate(timerCall(cleaning))
			require.Equal(t, []string{"shell_exec"}, l.day().Timers[0].Allowed.Tools)
			l.stop()
			rows, err := l.store.Load(l.Context(), "timer/")
			require.NoError(t, err)
			require.Len(t, rows, 1)
			for key, row := range rows {
				require.Contains(t, string(row), change[0])
				rows[key] = []byte(strings.Replace(string(row), change[0], change[1], 1))
			}
			require.NoError(t, l.store.Apply(l.Context(), rows))
			l.begin(l.options(l.change))
			l.answer(timed, clean, modeltest.Say("好了"))
			l.pass(20 * time.Minute)
			assert.Equal(t, change[0] == "", len(l.ran) == 1, "%v", change)
		})
	}
}

func TestLabels_WhatWasAllowedEndsWhereItReads(t *testing.T) {
	look := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"})
	for _, reads := range []bool{true, false} {
		for _, alone := range []bool{true, false} {
			withHuman(t, nil, func(l *lively, h *human) {
				l.readPrivate(timerCall(cleaning))
				h.no = true
				l.again(func(o *social.Options) {
					l.change(o)
					if alone {
						o.Tools.Registry.Confirm = nil
					}
				})
				steps := []modeltest.Step{clean, modeltest.Say("好了")}
				if reads {
					steps = slices.Insert(steps, 0, look)
				}
				l.answer(timed, steps...)
				l.pass(20 * time.Minute)
				assert.Equal(t, !reads, len(l.ran) == 1)
				assert.Equal(t, reads && !alone, len(h.questions()) == 2, "%v", h.questions())
			})
		}
	}
}

func TestLabels_WhatWasAllowedKeepsToItsChat(t *testing.T) {
	send := func(to, text string) modeltest.Step {
		return modeltest.Call("qq_send_text", map[string]any{"target_id": to, "content": text})
	}
	withHuman(t, nil, func(l *lively, h *human) {
		l.readPrivate(timerCall("用 qq_send_text 给 group_1 说早安"))
		require.Len(t, h.questions(), 1)
		l.answer(timed, send("user_2001", canary), send("group_1", "早安"), modeltest.Say("说了"))
		l.pass(20 * time.Minute)
		assert.Equal(t, []string{"早安"}, l.sent(l.group.Chat()))
		assert.Len(t, l.qq.Sent(), 1, "nobody else was named")
		assert.Len(t, h.questions(), 1)
	})
}

func TestLabels_WhatWasAllowedIsNotToldElsewhere(t *testing.T) {
	mood := func(text string) modeltest.Step {
		return modeltest.Call("character_ops", map[string]any{"mood": text})
	}
	withHuman(t, func(o *social.Options) { o.Access.Redact = unmasked }, func(l *lively, h *human) {
		l.readPrivate(timerCall(cleaning + "，" + canary))
		l.answer(timed, mood(canary), modeltest.Say(canary))
		l.pass(20 * time.Minute)
		require.Equal(t, []string{canary}, l.heard())
		l.group.Say(alice, at(bot, "暗号葡萄柚怎么样"))
		l.pass(time.Minute)
		assert.NotContains(t, l.last(""), canary)
		next := l.ask("很高兴", mood("很高兴"))
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.Contains(t, next.Text(), canary, "the owner's turn is shown what was endorsed")
		l.group.Say(alice, at(bot, "现在怎么样"))
		l.pass(time.Minute)
		assert.Contains(t, l.last(""), "很高兴")
		assert.NotContains(t, l.last(""), canary)
	})
}

// TestLabels_WhatWasAllowedIsKilled: whenever the process dies, a human is asked once, and what they allowed is done at most once.
func TestLabels_WhatWasAllowedIsKilled(t *testing.T) {
	did := 0
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withHuman(t, nil, func(l *lively, h *human) {
				l.readPrivate(timerCall(cleaning))
				l.answer(timed, clean, modeltest.Say("好了"))
				died = l.killed(doom, how, 20*time.Minute) || died
				l.answer(timed, clean, modeltest.Say("好了"))
				l.pass(20 * time.Minute)
				require.LessOrEqual(t, len(l.ran), 1, "write %d, %d", doom, how)
				require.Len(t, h.questions(), 1, "write %d, %d", doom, how)
				require.Empty(t, l.day().Timers)
				did += len(l.ran)
			})
		}
		if !died {
			assert.Greater(t, doom, 5)
			break
		}
	}
	assert.Greater(t, did, 5)
}

// killed has the being live for a while on a store that dies at a write, and then on as it was. It reports that it died.
func (l *lively) killed(doom, how int, d time.Duration) (died bool) {
	l.Helper()
	s := &mortal{MemStore: l.store, dead: func() {}}
	l.again(func(o *social.Options) {
		if l.change != nil {
			l.change(o)
		}
		o.Storage.Store = s
	})
	s.doom(doom, how)
	l.pass(d)
	l.again(l.change)
	return s.died()
}

const hearsay = "记下听来的"

// parts are those of the document of what others said.
func (l *lively) parts() []memory.Note {
	l.Helper()
	slots, err := memorytest.New(l, l.store, memory.Options{}).Notes(memory.Owner.Secret()).Slots(l.Context())
	require.NoError(l, err)
	return slots
}

// heardPaper is that document as the owner sees it; "": there is none.
func (l *lively) heardPaper() string {
	l.Helper()
	for _, p := range l.day().Documents {
		if p.Name == self.HearsayNotes {
			return p.Text
		}
	}
	return ""
}

func TestLabels_WhatOthersSaidIsNotedApart(t *testing.T) {
	var tools *nit.Registry
	withDays(t, func(o *social.Options) {
		o.Access.Redact = unmasked
		tools = o.Tools.Registry
	}, func(l *lively) {
		l.ask("我爱喝乌龙茶")
		l.pass(20 * time.Minute)
		require.Len(t, l.prompts(review), 1)
		require.Empty(t, l.prompts(hearsay), "nobody else was told of")
		l.readPrivate()
		l.answer(hearsay, modeltest.Say("小满说了"+canary))
		l.pass(20 * time.Minute)
		require.Len(t, l.prompts(review), 2)
		assert.NotContains(t, l.last(review), canary, "the documents are mended without it")
		require.Len(t, l.prompts(hearsay), 1)
		assert.Contains(t, l.last(hearsay), canary)
		assert.Empty(t, l.prompts(hearsay)[0].ToolNames())
		require.Len(t, l.parts(), 1)
		assert.Equal(t, fromFriend, l.parts()[0].Label.String())
		assert.NotEmpty(t, l.parts()[0].Sources)
		assert.Contains(t, l.heardPaper(), "小满说了"+canary)

		l.again(l.change)
		next := l.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.NotContains(t, next.Text(), canary)
		assert.Regexp(t, `<document name="heard">\n（这里有 qq:private:2001 的内容`, next.Text())
		l.group.Say(alice, at(bot, "暗号葡萄柚是什么"))
		l.pass(time.Minute)
		assert.NotContains(t, l.last(""), canary)
		assert.NotContains(t, l.last(""), "heard")

		tools.Remove("shell_exec", "memory_edit")
		assert.Contains(t, l.ask("继续").Text(), "小满说了"+canary, "nothing acts any more")
		assert.Contains(t, l.labelled(memory.Owner, "好"), fromFriend, "and the turn has read it")
	})
}

// TestLabels_WhatIsEndorsedIsNotedAsText: what was said in a chat that the owner trusts stays of that chat, and so it is noted apart
// of the documents, but shown beside tools that act.
func TestLabels_WhatIsEndorsedIsNotedAsText(t *testing.T) {
	for _, endorsed := range []bool{true, false} {
		withDays(t, nil, func(l *lively) {
			if endorsed {
				_, err := l.being.Endorse(l.Context(), "qq:private:2001", "")
				require.NoError(t, err)
			}
			l.answer(hearsay, modeltest.Say(canary))
			l.readPrivate()
			l.pass(20 * time.Minute)
			require.NotEmpty(t, l.prompts(review))
			assert.NotContains(t, l.prompts(review)[0].Text(), canary)
			require.Len(t, l.parts(), 1)
			next := l.ask("继续")
			assert.Contains(t, next.ToolNames(), "shell_exec")
			assert.Equal(t, endorsed, strings.Contains(next.Text(), canary))
		})
	}
}

func TestLabels_ForgettingReachesWhatOthersSaid(t *testing.T) {
	friend := persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}
	for name, forget := range map[string]func(l *lively) error{
		"nothing": func(*lively) error { return nil },
		"chat":    func(l *lively) error { _, err := l.being.EraseChat(l.Context(), friend, nil); return err },
		"person": func(l *lively) error {
			_, err := l.being.ErasePerson(l.Context(), persona.Account{Platform: "qq", ID: "2001"}, nil)
			return err
		},
		"answer": func(l *lively) error {
			m := memorytest.New(l, l.store, memory.Options{})
			for r, err := range l.store.Scan(l.Context(), memory.Owner, 0) {
				if err != nil {
					return err
				}
				if strings.Contains(r.Text, canary) {
					return m.Delete(l.Context(), memory.Owner, r.ID)
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			withDays(t, nil, func(l *lively) {
				l.mu.Lock()
				l.says[hearsay] = func(p modeltest.Prompt) modeltest.Step {
					if strings.Contains(p.Text(), canary) {
						return modeltest.Say(canary)
					}
					return modeltest.Say("群里说下雨")
				}
				l.mu.Unlock()
				l.readPrivate()
				l.pass(20 * time.Minute)
				l.group.Say(alice, say("明天下雨"))
				l.pass(time.Minute)
				l.ask("群里说什么了", modeltest.Call("read_social_memory", map[string]any{"query": "下雨", "filter": "group_1"}))
				l.pass(20 * time.Minute)
				require.Len(t, l.parts(), 2)
				require.NoError(t, forget(l))
				text := l.heardPaper()
				assert.Equal(t, name == "nothing", strings.Contains(text, canary))
				assert.Contains(t, text, "群里说下雨", "the other part stays")
			})
		})
	}
}

// TestLabels_WhatIsForgottenMeanwhileIsNotNoted: a part that is written while what it was made of is forgotten goes, too.
func TestLabels_WhatIsForgottenMeanwhileIsNotNoted(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		withDays(t, nil, func(l *lively) {
			l.answer(hearsay, modeltest.Say(canary).After(time.Minute))
			l.readPrivate()
			for i := 0; len(l.prompts(hearsay)) == 0; i++ {
				require.Less(t, i, 100)
				l.pass(10 * time.Second)
			}
			if forgets {
				_, err := l.being.EraseChat(l.Context(), persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}, nil)
				require.NoError(t, err)
			}
			l.pass(5 * time.Minute)
			assert.Equal(t, !forgets, len(l.parts()) == 1)
		})
	}
}

func TestLabels_WhatOthersSaidIsBounded(t *testing.T) {
	look, err := nit.Define("list_members", nit.L2, "lists the members of a group", func(context.Context, struct{}) (string, error) {
		return canary, nil
	}, nit.ReadOnly())
	require.NoError(t, err)
	withDays(t, func(o *social.Options) { require.NoError(t, o.Tools.Registry.Add(look)) }, func(l *lively) {
		l.mu.Lock()
		n := 0
		l.says[hearsay] = func(modeltest.Prompt) modeltest.Step {
			n++
			return modeltest.Say(fmt.Sprint("第", n, "次") + strings.Repeat("长", 1000))
		}
		l.mu.Unlock()
		for range 12 {
			l.ask("群里有谁", modeltest.Call("list_members", nil))
			l.pass(30 * time.Minute)
		}
		require.Len(t, l.parts(), 10)
		text := l.heardPaper()
		assert.NotContains(t, text, "第2次")
		assert.Contains(t, text, "第3次")
		assert.Contains(t, text, "第12次")
		assert.Less(t, len([]rune(text)), 5000)
	})
}

func TestLabels_WhatOthersSaidIsNotedAfterAStop(t *testing.T) {
	withDays(t, nil, func(l *lively) {
		l.answer(hearsay, modeltest.Hang(""))
		l.readPrivate()
		for i := 0; len(l.prompts(hearsay)) == 0; i++ {
			require.Less(t, i, 100)
			l.pass(10 * time.Second)
		}
		l.stop()
		require.Empty(t, l.parts())
		l.answer(hearsay, modeltest.Say(canary))
		l.begin(l.options(nil))
		l.pass(20 * time.Minute)
		assert.Len(t, l.parts(), 1)
		assert.Len(t, l.prompts(review), 1, "the talk was reviewed already")
	})
}

// TestLabels_WhatOthersSaidIsNotedThoughKilled: whenever the process dies, the talk is reviewed, and what others said is noted
// once.
func TestLabels_WhatOthersSaidIsNotedThoughKilled(t *testing.T) {
	patch := modeltest.Call("apply_patch_to_character_state", map[string]string{"patch": "*** Begin Patch\n@@\n+聊过一次\n*** End Patch"})
	for doom := 1; ; doom++ {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withDays(t, nil, func(l *lively) {
				l.mu.Lock()
				l.says[review] = func(p modeltest.Prompt) modeltest.Step {
					if len(p.ToolResults()) > 0 || strings.Contains(p.Text(), "聊过一次") || !strings.Contains(p.Text(), "主人自己的设备") {
						return modeltest.Say(noAnswer)
					}
					return patch
				}
				l.says[hearsay] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(canary) }
				l.mu.Unlock()
				l.readPrivate()
				died = l.killed(doom, how, 30*time.Minute) || died
				l.pass(2 * time.Hour)
				parts := l.parts()
				require.Len(t, parts, 1, "write %d, %d", doom, how)
				require.Equal(t, fromFriend, parts[0].Label.String())
				require.LessOrEqual(t, len(l.prompts(hearsay)), 2)
				require.LessOrEqual(t, strings.Count(l.day().Documents[0].Text, "聊过一次"), 1, "write %d, %d", doom, how)
			})
		}
		if !died {
			assert.Greater(t, doom, 5)
			break
		}
	}
}

// TestLabels_TitlesOfWindowsAreOthersWords: a talk of the background is told apps and times. A host may have it read titles, and
// then it changes no document, or say that titles are trusted.
func TestLabels_TitlesOfWindowsAreOthersWords(t *testing.T) {
	patch := modeltest.Call("apply_patch_to_character_state", map[string]string{"patch": "*** Begin Patch\n@@\n+写代码\n*** End Patch"})
	show := func(_ memory.Space, d social.Datum, _ memory.Label, show bool) bool {
		return show || d == social.DatumActivity
	}
	endorse := func(d social.Datum, l memory.Label) memory.Label {
		if d == social.DatumActivity {
			return memory.Trusted(l.Spaces()...)
		}
		return l
	}
	for name, c := range map[string]struct {
		labels         social.Labels
		titles         bool
		reads, patches bool
	}{
		"stubs":     {social.Labels{}, true, false, true},
		"no titles": {social.Labels{}, false, false, true},
		"shown":     {social.Labels{Show: show}, true, true, false},
		"endorsed":  {social.Labels{Of: endorse}, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			withDays(t, func(o *social.Options) {
				o.Access.Labels = c.labels
				o.Background.Autonomy.Planner.IdleOrigin = schedule.Origin{Mode: persona.Agent}
				o.Background.Autonomy.RecentActivity = func(_ context.Context, since time.Time) ([]social.OwnerActivity, error) {
					did := []social.OwnerActivity{{App: "编辑器", From: since, To: since.Add(time.Minute)}}
					if c.titles {
						did[0].Title = canary
						did = append(did, social.OwnerActivity{Title: canary, Address: "example.com", From: since, To: since.Add(time.Minute)})
					}
					return did, nil
				}
			}, func(l *lively) {
				l.stop()
				l.answer(ahead, patch, modeltest.Say("嗯"))
				l.begin(l.options(l.change))
				l.pass(30 * time.Minute)
				require.NotEmpty(t, l.prompts(ahead))
				seen := l.prompts(ahead)[0].Text()
				assert.Contains(t, seen, " 编辑器")
				assert.Equal(t, c.reads, strings.Contains(seen, canary))
				assert.Equal(t, c.reads, strings.Contains(seen, "example.com"))
				assert.Equal(t, c.titles && !c.reads, strings.Contains(seen, "没有打开"))
				assert.Equal(t, c.patches, len(l.day().Documents) > 0)
			})
		})
	}
}
