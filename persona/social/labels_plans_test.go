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

// fromFriend is the label of data that the owner's turn derived from the canary.
const fromFriend = "U owner qq:private:2001"

// planCall returns a call that plans a task five minutes ahead.
func planCall(title string, tools ...string) modeltest.Step {
	args := map[string]any{"delay_seconds": 300, "content": map[string]any{"title": title}}
	if len(tools) > 0 {
		args["tools"] = tools
	}
	return modeltest.Call("add_schedule", args)
}

// timerCall returns a call that sets a timer five minutes ahead.
func timerCall(text string, tools ...string) modeltest.Step {
	args := map[string]any{"when": "5min", "content": text}
	if len(tools) > 0 {
		args["tools"] = tools
	}
	return modeltest.Call("set_timer", args)
}

func (f *autonomyFixture) agenda() social.Agenda {
	f.Helper()
	day, err := f.bot.Agenda(f.Context())
	require.NoError(f, err)
	return day
}

// labelsWith returns the labels of a space's records that contain a text.
func (f *autonomyFixture) labelsWith(s memory.Space, text string) (labels []string) {
	for r, err := range f.store.Scan(f.Context(), s, 0) {
		require.NoError(f, err)
		if r.Text == text {
			labels = append(labels, r.LabelOrDefault().String())
		}
	}
	return labels
}

func TestLabels_TaskBearsLabelOfTurn(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate(planCall(canary), timerCall(canary))
		f.ask("十分钟后叫我", planCall("散步"), timerCall("喝水"))
		f.restart(nil)
		for _, maker := range []schedule.Origin{f.agenda().Planned[0].Origin, f.agenda().Timers[0].Origin} {
			assert.Equal(t, schedule.Origin{Mode: persona.Agent, Restricted: true, Label: fromFriend}, maker)
		}
		for _, maker := range []schedule.Origin{f.agenda().Planned[1].Origin, f.agenda().Timers[1].Origin} {
			assert.Equal(t, schedule.Origin{Mode: persona.Agent}, maker)
		}
		f.mu.Lock()
		f.answers[headTask] = func(p modeltest.Prompt) modeltest.Step { return modeltest.Say("做了") }
		f.mu.Unlock()
		f.advance(20 * time.Minute)
		assert.Equal(t, []string{fromFriend, "T owner"}, f.labelsWith(memory.Owner, "做了"), "the answer has the label, too")
	})
}

func TestLabels_GroupTaskBearsLabelOfPrompt(t *testing.T) {
	withPublicChat(t, func(f *autonomyFixture, say func(string)) {
		say("广场上的话")
		f.advance(time.Minute)
		f.answer("", modeltest.Call("add_schedule", map[string]any{"delay_seconds": 7200, "content": map[string]any{"title": "问候"}}), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "回头打个招呼"))
		f.advance(time.Minute)
		require.Contains(t, f.lastPrompt(""), "广场上的话")
		require.Len(t, f.agenda().Planned, 1)
		assert.Equal(t, schedule.Origin{
			Person: persona.Account{Platform: "qq", ID: "1001"}, Chat: persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}, Label: "U qq:group:1 qq:group:2",
		}, f.agenda().Planned[0].Origin)
		next := f.ask("有什么计划", planCall("散步"))
		assert.NotContains(t, next.Text(), "问候", "the owner's turn with side effects is not shown it")
		assert.Contains(t, f.ask("还有呢").Text(), "散步")
	})
}

func TestLabels_ListingPlansRestrictsNothing(t *testing.T) {
	shell := modeltest.Call("shell_exec", map[string]any{"command": "ls"})
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate(timerCall(canary), planCall(canary))
		f.ask("十分钟后叫我", timerCall("喝水"))
		f.ask("看看定时器", modeltest.Call("list_timers", map[string]any{}), modeltest.Call("delete_schedule", map[string]any{"id": "s1"}), shell)
		all := f.prompts("")
		listed := all[len(all)-1].ToolResults()[0].Content
		assert.NotContains(t, listed, canary)
		assert.Contains(t, listed, "qq:private:2001", "a stub names the chat")
		assert.Contains(t, listed, "喝水")
		assert.Empty(t, f.agenda().Planned, "a hidden task can be cancelled")
		assert.Equal(t, []string{"ls"}, f.ran)
	})
}

func TestLabels_EraseChatReachesPlans(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate(timerCall(canary), planCall(canary))
		f.ask("十分钟后叫我", timerCall("喝水"), planCall("散步"))
		require.Len(t, f.agenda().Timers, 2)
		require.Len(t, f.agenda().Planned, 2)
		_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}, nil)
		require.NoError(t, err)
		day := f.agenda()
		require.Len(t, day.Timers, 1)
		assert.Equal(t, "喝水", day.Timers[0].Payload)
		require.Len(t, day.Planned, 1)
		assert.Equal(t, "散步", day.Planned[0].Title)
		assert.Empty(t, day.Past)
	})
}

func TestLabels_OutdatedTaskBearsLabel(t *testing.T) {
	late := modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "outdated_seconds": 900, "content": map[string]any{"title": canary}})
	own := modeltest.Call("add_schedule", map[string]any{"delay_seconds": 600, "outdated_seconds": 900, "content": map[string]any{"title": "散步"}})
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate(late)
		f.ask("十分钟后散步", own)
		f.stop()
		f.advance(time.Hour)
		f.begin(f.options(nil))
		f.advance(10 * time.Minute)
		assert.Equal(t, []string{fromFriend}, f.labelsWith(memory.Owner, "没赶上计划的事："+canary))
		assert.Equal(t, []string{"T owner"}, f.labelsWith(memory.Owner, "没赶上计划的事：散步"))
	})
}

// A human confirms or refuses calls.
type human struct {
	mu    sync.Mutex
	asked []nit.Request
	no    bool
	hangs bool // never answers
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

// questions returns the confirmations requested so far: tool and arguments.
func (h *human) questions() (all []string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, r := range h.asked {
		all = append(all, r.Tool.Name+" "+string(r.Args))
	}
	return all
}

// withHuman is withAutonomy with a human for confirmations, and a second tool with side effects.
func withHuman(t *testing.T, change func(*social.Options), test func(f *autonomyFixture, h *human)) {
	h := &human{}
	withAutonomy(t, func(o *social.Options) {
		o.Tools.Registry.Confirm = h.confirm
		o.Reply.Turn.Timeout = time.Hour
		own, err := nit.Define("file_write", nit.L3, "writes a file", func(context.Context, struct{}) (string, error) { return "", nil })
		require.NoError(t, err)
		require.NoError(t, o.Tools.Registry.Add(own))
		if change != nil {
			change(o)
		}
	}, func(f *autonomyFixture) { test(f, h) })
}

const cleaning = "用 shell_exec 清理磁盘"

var clean = modeltest.Call("shell_exec", map[string]any{"command": "clean"})

func TestLabels_ConfirmedPlanActs(t *testing.T) {
	for name, c := range map[string]struct {
		set  modeltest.Step
		head string
		args map[string]string
	}{
		"timer, named":     {timerCall("清理磁盘", "shell_exec", "no_such_tool"), headTimer, map[string]string{"when": "5min", "what": "清理磁盘"}},
		"timer, literally": {timerCall(cleaning), headTimer, map[string]string{"when": "5min", "what": cleaning}},
		"task, named":      {planCall("清理磁盘", "shell_exec"), headTask, map[string]string{"when": "", "what": "清理磁盘"}},
		"task, literally":  {planCall(cleaning), headTask, map[string]string{"when": "", "what": cleaning}},
	} {
		t.Run(name, func(t *testing.T) {
			withHuman(t, nil, func(f *autonomyFixture, h *human) {
				f.readPrivate(c.set)
				require.Len(t, h.questions(), 1)
				asked := h.asked[0]
				assert.Equal(t, "shell_exec", asked.Tool.Name)
				assert.Equal(t, nit.ModeAgent, asked.Principal.Mode)
				var args map[string]string
				require.NoError(t, json.Unmarshal(asked.Args, &args))
				assert.NotEmpty(t, args["when"])
				c.args["when"] = cmp.Or(c.args["when"], args["when"])
				assert.Equal(t, c.args, args)
				f.restart(f.change)
				f.answer(c.head, clean, modeltest.Say("清理好了"))
				f.advance(20 * time.Minute)
				assert.Equal(t, []string{"clean"}, f.ran)
				assert.Len(t, h.questions(), 1, "asked once")
				assert.Equal(t, []string{"清理好了"}, f.delivered())
				assert.Empty(t, f.notices())
				tools := f.prompts(c.head)[0].ToolNames()
				assert.Contains(t, tools, "shell_exec")
				for _, gone := range []string{"file_write", "memory_edit", "qq_send_text"} {
					assert.NotContains(t, tools, gone, "not confirmed")
				}
				assert.Equal(t, []string{"T owner qq:private:2001"}, f.labelsWith(memory.Owner, "清理好了"), "the text is endorsed and stays with the owner")
				assert.NotContains(t, f.prompts(c.head)[0].Text(), canary, "other data of the turn is not endorsed")
			})
		})
	}
}

func TestLabels_RefusedPlanDoesNotAct(t *testing.T) {
	for name, hangs := range map[string]bool{"a no": false, "no answer": true} {
		t.Run(name, func(t *testing.T) {
			withHuman(t, nil, func(f *autonomyFixture, h *human) {
				h.no, h.hangs = !hangs, hangs
				began := time.Now()
				f.readPrivate(timerCall(cleaning, "file_write"))
				if hangs {
					assert.GreaterOrEqual(t, time.Since(began), 2*time.Minute)
				}
				require.Len(t, h.questions(), 1, "the first refusal ends it")
				require.Len(t, f.notices(), 1)
				assert.Contains(t, f.notices()[0], cleaning)
				h.no, h.hangs = false, false
				f.answer(headTimer, clean, modeltest.Say("没做成"))
				f.advance(20 * time.Minute)
				assert.Empty(t, f.ran)
				assert.Len(t, h.questions(), 1)
				assert.NotContains(t, f.prompts(headTimer)[0].ToolNames(), "shell_exec")
				assert.Len(t, f.notices(), 1)
			})
		})
	}
}

func TestLabels_ConfirmsMissingToolsOnly(t *testing.T) {
	withHuman(t, nil, func(f *autonomyFixture, h *human) {
		f.readPrivate(timerCall("喝水"), timerCall("查一查", "read_owner_memory"), timerCall("my_shell_exec_tool"))
		f.ask("五分钟后清理", timerCall(cleaning, "shell_exec"))
		f.answer("", timerCall(cleaning, "shell_exec"), modeltest.Say("好"))
		f.group.Say(alice, at(botID, "五分钟后清理"))
		f.advance(time.Minute)
		require.Len(t, f.agenda().Timers, 5)
		assert.Empty(t, h.questions())
		assert.Empty(t, f.notices())
		for _, timer := range f.agenda().Timers {
			assert.Empty(t, timer.Allowed)
		}
	})
}

func TestLabels_WithoutConfirmOwnerIsNotified(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.readPrivate(timerCall(cleaning, "shell_exec"))
		require.Len(t, f.notices(), 1)
		assert.Contains(t, f.notices()[0], cleaning)
		f.answer(headTimer, clean, modeltest.Say("没做成"))
		f.advance(20 * time.Minute)
		assert.Empty(t, f.ran)
		assert.Len(t, f.notices(), 1)
	})
}

// A confirmation is bound to the text of the plan: with a changed text its tools are not available.
func TestLabels_ConfirmationBoundToText(t *testing.T) {
	for _, change := range [][2]string{{"", ""}, {"清理磁盘", "清空磁盘"}, {`"spec":"5min"`, `"spec":"6min"`}} {
		withHuman(t, nil, func(f *autonomyFixture, h *human) {
			f.readPrivate(timerCall(cleaning))
			require.Equal(t, []string{"shell_exec"}, f.agenda().Timers[0].Allowed.Tools)
			f.stop()
			rows, err := f.store.Load(f.Context(), "timer/")
			require.NoError(t, err)
			require.Len(t, rows, 1)
			for key, row := range rows {
				require.Contains(t, string(row), change[0])
				rows[key] = []byte(strings.Replace(string(row), change[0], change[1], 1))
			}
			require.NoError(t, f.store.Apply(f.Context(), rows))
			f.begin(f.options(f.change))
			f.answer(headTimer, clean, modeltest.Say("好了"))
			f.advance(20 * time.Minute)
			assert.Equal(t, change[0] == "", len(f.ran) == 1, "%v", change)
		})
	}
}

func TestLabels_ConfirmationEndsAfterReading(t *testing.T) {
	look := modeltest.Call("read_social_memory", map[string]any{"query": "暗号"})
	for _, reads := range []bool{true, false} {
		for _, alone := range []bool{true, false} {
			withHuman(t, nil, func(f *autonomyFixture, h *human) {
				f.readPrivate(timerCall(cleaning))
				h.no = true
				f.restart(func(o *social.Options) {
					f.change(o)
					if alone {
						o.Tools.Registry.Confirm = nil
					}
				})
				steps := []modeltest.Step{clean, modeltest.Say("好了")}
				if reads {
					steps = slices.Insert(steps, 0, look)
				}
				f.answer(headTimer, steps...)
				f.advance(20 * time.Minute)
				assert.Equal(t, !reads, len(f.ran) == 1)
				assert.Equal(t, reads && !alone, len(h.questions()) == 2, "%v", h.questions())
			})
		}
	}
}

func TestLabels_ConfirmationBoundToTarget(t *testing.T) {
	send := func(to, text string) modeltest.Step {
		return modeltest.Call("qq_send_text", map[string]any{"target_id": to, "content": text})
	}
	withHuman(t, nil, func(f *autonomyFixture, h *human) {
		f.readPrivate(timerCall("用 qq_send_text 给 group_1 说早安"))
		require.Len(t, h.questions(), 1)
		f.answer(headTimer, send("user_2001", canary), send("group_1", "早安"), modeltest.Say("说了"))
		f.advance(20 * time.Minute)
		assert.Equal(t, []string{"早安"}, f.sent(f.group.Chat()))
		assert.Len(t, f.qq.Sent(), 1, "no other target was named")
		assert.Len(t, h.questions(), 1)
	})
}

func TestLabels_ConfirmedPlanStaysSecret(t *testing.T) {
	mood := func(text string) modeltest.Step {
		return modeltest.Call("character_ops", map[string]any{"mood": text})
	}
	withHuman(t, func(o *social.Options) { o.Access.Redact = noMask }, func(f *autonomyFixture, h *human) {
		f.readPrivate(timerCall(cleaning + "，" + canary))
		f.answer(headTimer, mood(canary), modeltest.Say(canary))
		f.advance(20 * time.Minute)
		require.Equal(t, []string{canary}, f.delivered())
		f.group.Say(alice, at(botID, "暗号葡萄柚怎么样"))
		f.advance(time.Minute)
		assert.NotContains(t, f.lastPrompt(""), canary)
		next := f.ask("很高兴", mood("很高兴"))
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.Contains(t, next.Text(), canary, "the owner's turn is shown endorsed text")
		f.group.Say(alice, at(botID, "现在怎么样"))
		f.advance(time.Minute)
		assert.Contains(t, f.lastPrompt(""), "很高兴")
		assert.NotContains(t, f.lastPrompt(""), canary)
	})
}

// If the process dies at any write, a human is asked once, and a confirmed action runs at most once.
func TestLabels_ConfirmationCrashes(t *testing.T) {
	did := 0
	for doom := 1; ; doom += crashStep() {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withHuman(t, nil, func(f *autonomyFixture, h *human) {
				f.readPrivate(timerCall(cleaning))
				f.answer(headTimer, clean, modeltest.Say("好了"))
				died = f.runAndCrash(doom, how, 20*time.Minute) || died
				f.answer(headTimer, clean, modeltest.Say("好了"))
				f.advance(20 * time.Minute)
				require.LessOrEqual(t, len(f.ran), 1, "write %d, %d", doom, how)
				require.Len(t, h.questions(), 1, "write %d, %d", doom, how)
				require.Empty(t, f.agenda().Timers)
				did += len(f.ran)
			})
		}
		if !died {
			assert.Greater(t, doom, 5)
			break
		}
	}
	assert.Greater(t, did, 5/crashStep())
}

// crashStep is from one write at which the process dies to the next one that is tried.
func crashStep() int {
	if testing.Short() {
		return 4
	}
	return 1
}

// runAndCrash runs the bot for a while on a store that crashes at a write, and then restarts it. It reports whether the
// crash happened.
func (f *autonomyFixture) runAndCrash(doom, how int, d time.Duration) (died bool) {
	f.Helper()
	s := &crashingStore{MemStore: f.store, onCrash: func() {}}
	f.restart(func(o *social.Options) {
		if f.change != nil {
			f.change(o)
		}
		o.Storage.Store = s
	})
	s.crashAt(doom, how)
	f.advance(d)
	f.restart(f.change)
	return s.hasCrashed()
}

const headHearsay = "记下听来的"

// hearsayParts returns the parts of the hearsay document.
func (f *autonomyFixture) hearsayParts() []memory.Note {
	f.Helper()
	slots, err := memorytest.New(f, f.store, memory.Options{}).Notes(memory.Owner.Secret()).Slots(f.Context())
	require.NoError(f, err)
	return slots
}

// hearsayText returns that document as shown to the owner; "" if there is none.
func (f *autonomyFixture) hearsayText() string {
	f.Helper()
	for _, p := range f.agenda().Documents {
		if p.Name == self.HearsayNotes {
			return p.Text
		}
	}
	return ""
}

func TestLabels_HearsayDocument(t *testing.T) {
	var tools *nit.Registry
	withAutonomy(t, func(o *social.Options) {
		o.Access.Redact = noMask
		tools = o.Tools.Registry
	}, func(f *autonomyFixture) {
		f.ask("我爱喝乌龙茶")
		f.advance(20 * time.Minute)
		require.Len(t, f.prompts(headReview), 1)
		require.Empty(t, f.prompts(headHearsay), "no text of others")
		f.readPrivate()
		f.answer(headHearsay, modeltest.Say("小满说了"+canary))
		f.advance(20 * time.Minute)
		require.Len(t, f.prompts(headReview), 2)
		assert.NotContains(t, f.lastPrompt(headReview), canary, "the documents are patched without it")
		require.Len(t, f.prompts(headHearsay), 1)
		assert.Contains(t, f.lastPrompt(headHearsay), canary)
		assert.Empty(t, f.prompts(headHearsay)[0].ToolNames())
		require.Len(t, f.hearsayParts(), 1)
		assert.Equal(t, fromFriend, f.hearsayParts()[0].Label.String())
		assert.NotEmpty(t, f.hearsayParts()[0].Sources)
		assert.Contains(t, f.hearsayText(), "小满说了"+canary)

		f.restart(f.change)
		next := f.ask("继续")
		assert.Contains(t, next.ToolNames(), "shell_exec")
		assert.NotContains(t, next.Text(), canary)
		assert.Regexp(t, `<document name="heard">\n（这里有 qq:private:2001 的内容`, next.Text())
		f.group.Say(alice, at(botID, "暗号葡萄柚是什么"))
		f.advance(time.Minute)
		assert.NotContains(t, f.lastPrompt(""), canary)
		assert.NotContains(t, f.lastPrompt(""), "heard")

		tools.Remove("shell_exec", "memory_edit")
		assert.Contains(t, f.ask("继续").Text(), "小满说了"+canary, "no tools with side effects are left")
		assert.Contains(t, f.labelsWith(memory.Owner, "好"), fromFriend, "the turn has read it")
	})
}

// Messages of an endorsed chat keep the chat's label. So they go into the hearsay document and not into the other
// documents, but turns with side effects are shown it.
func TestLabels_HearsayOfEndorsedChat(t *testing.T) {
	for _, endorsed := range []bool{true, false} {
		withAutonomy(t, nil, func(f *autonomyFixture) {
			if endorsed {
				_, err := f.bot.Endorse(f.Context(), "qq:private:2001", "")
				require.NoError(t, err)
			}
			f.answer(headHearsay, modeltest.Say(canary))
			f.readPrivate()
			f.advance(20 * time.Minute)
			require.NotEmpty(t, f.prompts(headReview))
			assert.NotContains(t, f.prompts(headReview)[0].Text(), canary)
			require.Len(t, f.hearsayParts(), 1)
			next := f.ask("继续")
			assert.Contains(t, next.ToolNames(), "shell_exec")
			assert.Equal(t, endorsed, strings.Contains(next.Text(), canary))
		})
	}
}

func TestLabels_EraseReachesHearsay(t *testing.T) {
	friend := persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}
	for name, forget := range map[string]func(f *autonomyFixture) error{
		"nothing": func(*autonomyFixture) error { return nil },
		"chat":    func(f *autonomyFixture) error { _, err := f.bot.EraseChat(f.Context(), friend, nil); return err },
		"person": func(f *autonomyFixture) error {
			_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "2001"}, nil)
			return err
		},
		"answer": func(f *autonomyFixture) error {
			m := memorytest.New(f, f.store, memory.Options{})
			for r, err := range f.store.Scan(f.Context(), memory.Owner, 0) {
				if err != nil {
					return err
				}
				if strings.Contains(r.Text, canary) {
					return m.Delete(f.Context(), memory.Owner, r.ID)
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			withAutonomy(t, nil, func(f *autonomyFixture) {
				f.mu.Lock()
				f.answers[headHearsay] = func(p modeltest.Prompt) modeltest.Step {
					if strings.Contains(p.Text(), canary) {
						return modeltest.Say(canary)
					}
					return modeltest.Say("群里说下雨")
				}
				f.mu.Unlock()
				f.readPrivate()
				f.advance(20 * time.Minute)
				f.group.Say(alice, say("明天下雨"))
				f.advance(time.Minute)
				f.ask("群里说什么了", modeltest.Call("read_social_memory", map[string]any{"query": "下雨", "filter": "group_1"}))
				f.advance(20 * time.Minute)
				require.Len(t, f.hearsayParts(), 2)
				require.NoError(t, forget(f))
				text := f.hearsayText()
				assert.Equal(t, name == "nothing", strings.Contains(text, canary))
				assert.Contains(t, text, "群里说下雨", "the other part stays")
			})
		})
	}
}

// If a source is erased while its hearsay part is written, the part is deleted, too.
func TestLabels_HearsayErasedMeanwhile(t *testing.T) {
	for _, forgets := range []bool{true, false} {
		withAutonomy(t, nil, func(f *autonomyFixture) {
			f.answer(headHearsay, modeltest.Say(canary).After(time.Minute))
			f.readPrivate()
			for i := 0; len(f.prompts(headHearsay)) == 0; i++ {
				require.Less(t, i, 100)
				f.advance(10 * time.Second)
			}
			if forgets {
				_, err := f.bot.EraseChat(f.Context(), persona.Chat{Platform: "qq", Kind: persona.Private, ID: "2001"}, nil)
				require.NoError(t, err)
			}
			f.advance(5 * time.Minute)
			assert.Equal(t, !forgets, len(f.hearsayParts()) == 1)
		})
	}
}

func TestLabels_HearsayLimits(t *testing.T) {
	look, err := nit.Define("list_members", nit.L2, "lists the members of a group", func(context.Context, struct{}) (string, error) {
		return canary, nil
	}, nit.ReadOnly())
	require.NoError(t, err)
	withAutonomy(t, func(o *social.Options) { require.NoError(t, o.Tools.Registry.Add(look)) }, func(f *autonomyFixture) {
		f.mu.Lock()
		n := 0
		f.answers[headHearsay] = func(modeltest.Prompt) modeltest.Step {
			n++
			return modeltest.Say(fmt.Sprint("第", n, "次") + strings.Repeat("长", 1000))
		}
		f.mu.Unlock()
		for range 12 {
			f.ask("群里有谁", modeltest.Call("list_members", nil))
			f.advance(30 * time.Minute)
		}
		require.Len(t, f.hearsayParts(), 10)
		text := f.hearsayText()
		assert.NotContains(t, text, "第2次")
		assert.Contains(t, text, "第3次")
		assert.Contains(t, text, "第12次")
		assert.Less(t, len([]rune(text)), 5000)
	})
}

func TestLabels_HearsayAfterShutdown(t *testing.T) {
	withAutonomy(t, nil, func(f *autonomyFixture) {
		f.answer(headHearsay, modeltest.Hang(""))
		f.readPrivate()
		for i := 0; len(f.prompts(headHearsay)) == 0; i++ {
			require.Less(t, i, 100)
			f.advance(10 * time.Second)
		}
		f.stop()
		require.Empty(t, f.hearsayParts())
		f.answer(headHearsay, modeltest.Say(canary))
		f.begin(f.options(nil))
		f.advance(20 * time.Minute)
		assert.Len(t, f.hearsayParts(), 1)
		assert.Len(t, f.prompts(headReview), 1, "the conversation was already reviewed")
	})
}

// If the process dies at any write, the conversation is reviewed and its hearsay is written once.
func TestLabels_HearsayCrashes(t *testing.T) {
	patch := modeltest.Call("apply_patch_to_character_state", map[string]string{"patch": "*** Begin Patch\n@@\n+聊过一次\n*** End Patch"})
	for doom := 1; ; doom += crashStep() {
		died := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			withAutonomy(t, nil, func(f *autonomyFixture) {
				f.mu.Lock()
				f.answers[headReview] = func(p modeltest.Prompt) modeltest.Step {
					if len(p.ToolResults()) > 0 || strings.Contains(p.Text(), "聊过一次") || !strings.Contains(p.Text(), "主人自己的设备") {
						return modeltest.Say(silence)
					}
					return patch
				}
				f.answers[headHearsay] = func(modeltest.Prompt) modeltest.Step { return modeltest.Say(canary) }
				f.mu.Unlock()
				f.readPrivate()
				died = f.runAndCrash(doom, how, 30*time.Minute) || died
				f.advance(2 * time.Hour)
				parts := f.hearsayParts()
				require.Len(t, parts, 1, "write %d, %d", doom, how)
				require.Equal(t, fromFriend, parts[0].Label.String())
				require.LessOrEqual(t, len(f.prompts(headHearsay)), 2)
				require.LessOrEqual(t, strings.Count(f.agenda().Documents[0].Text, "聊过一次"), 1, "write %d, %d", doom, how)
			})
		}
		if !died {
			assert.Greater(t, doom, 5)
			break
		}
	}
}

// A background turn reads apps and times. If the host lets it read titles, it cannot patch documents, unless the host
// labels titles as trusted.
func TestLabels_WindowTitlesAreUntrusted(t *testing.T) {
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
			withAutonomy(t, func(o *social.Options) {
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
			}, func(f *autonomyFixture) {
				f.stop()
				f.answer(headPlan, patch, modeltest.Say("嗯"))
				f.begin(f.options(f.change))
				f.advance(30 * time.Minute)
				require.NotEmpty(t, f.prompts(headPlan))
				seen := f.prompts(headPlan)[0].Text()
				assert.Contains(t, seen, " 编辑器")
				assert.Equal(t, c.reads, strings.Contains(seen, canary))
				assert.Equal(t, c.reads, strings.Contains(seen, "example.com"))
				assert.Equal(t, c.titles && !c.reads, strings.Contains(seen, "没有打开"))
				assert.Equal(t, c.patches, len(f.agenda().Documents) > 0)
			})
		})
	}
}
