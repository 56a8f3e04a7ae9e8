package social_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After twenty turns a chat is summarized and its later prompts show the summary, also after a restart. Prompts of
// other chats do not.
func TestDigest_Summary(t *testing.T) {
	p := newTaskModel(map[string]string{"记": "张三丢了钥匙"})
	withFixture(t, p.model(), withDigest(onlySummaries), func(f *fixture) {
		private := f.qq.Friend(alice, "张三")
		for i := range 19 {
			f.group.Say(alice, say(fmt.Sprint("第", i, "句")))
			f.advance(90 * time.Second)
		}
		assert.Empty(t, p.read("记"), "nineteen turns")
		id := f.group.Say(bob, say("第二十句"))
		f.advance(90 * time.Second)
		require.Len(t, p.read("记"), 1)
		assert.Contains(t, p.last("记"), "第0句")
		assert.Contains(t, p.last("记"), "第二十句")
		assert.Equal(t, int64(1), f.bot.Stats().BackgroundCalls)
		assert.Equal(t, int64(0), f.bot.Stats().Turns, "a summary is not a turn")

		f.group.Say(bob, at(botID, "在吗"))
		private.Say(say("在吗"))
		f.advance(time.Minute)
		prompts := p.read("说")
		require.Len(t, prompts, 2)
		for _, prompt := range prompts {
			assert.Equal(t, strings.Contains(prompt, `<session type="group"`), strings.Contains(prompt, "<daily_hot_summary>\n张三丢了钥匙\n</daily_hot_summary>"))
		}
		f.stop()
		f.start(withDigest(onlySummaries))
		f.group.Say(bob, at(botID, "还在吗"))
		f.advance(time.Minute)
		assert.Contains(t, p.last("说"), "张三丢了钥匙", "it survives a restart")

		f.qq.Recall(id)
		f.advance(time.Second)
		f.group.Say(bob, at(botID, "还记得吗"))
		f.advance(time.Minute)
		assert.NotContains(t, p.last("说"), "张三丢了钥匙", "one of its messages was retracted")
		assert.Len(t, f.sent(f.group.Chat()), 3)
	})
}

// A failed call keeps the old summary, and calls do not overlap.
func TestDigest_SummaryFails(t *testing.T) {
	p := newTaskModel(map[string]string{"记": "旧的"})
	p.delay = 30 * time.Second
	withFixture(t, p.model(), withDigest(func(l *social.Digest) { onlySummaries(l); l.Summary.Turns = 2 }), func(f *fixture) {
		exchange := func(n int) {
			for range n {
				f.group.Say(alice, say("今天好冷"))
				f.advance(90 * time.Second)
			}
		}
		exchange(2)
		f.advance(time.Minute)
		digest, err := memorytest.New(f, f.store, memory.Options{}).Summary(f.Context(), "qq:group:1")
		require.NoError(t, err)
		require.Equal(t, "旧的", digest.Text)
		p.answer("记", "")
		exchange(6)
		tried := len(p.read("记")) - 1
		assert.Positive(t, tried)
		assert.Less(t, tried, 6, "it backs off after a failure")
		digest, err = memorytest.New(f, f.store, memory.Options{}).Summary(f.Context(), "qq:group:1")
		require.NoError(t, err)
		assert.Equal(t, "旧的", digest.Text)
		p.answer("记", "新的")
		f.advance(time.Hour)
		exchange(1)
		assert.Contains(t, p.last("记"), "旧的", "the new summary is made from the old one and the messages")
		digest, err = memorytest.New(f, f.store, memory.Options{}).Summary(f.Context(), "qq:group:1")
		require.NoError(t, err)
		assert.Equal(t, "新的", digest.Text)
	})
}

// After a reply the bot updates impressions and nicknames of the speakers. Later prompts of that chat show them.
func TestDigest_People(t *testing.T) {
	p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "happy", "stance": 1, "impression": "爱操心"}, {"id": "1003", "impression": "没来过"}],
		"names": [{"id": "1002", "name": "四哥", "by": "1001", "sure": true}, {"id": "10000", "name": "四哥", "by": "1001", "sure": true}]}`})
	withFixture(t, p.model(), withDigest(onlyPeople), func(f *fixture) {
		private := f.qq.Friend(alice, "张三")
		f.group.Say(bob, say("早"))
		f.group.Say(alice, at(bob, "四哥早"))
		f.advance(time.Minute)
		assert.Empty(t, p.read("看人"), "the bot has not spoken")
		for range 3 { // a nickname is shown after enough uses
			f.group.Say(alice, at(botID, "问问四哥吧"))
			f.group.Say(bob, say("嗯"))
			f.advance(time.Minute)
		}
		require.Len(t, p.read("看人"), 3)
		assert.Contains(t, p.read("看人")[1], "<impression>爱操心</impression>")
		assert.NotContains(t, p.read("看人")[1], "四哥早", "already processed")
		f.group.Say(alice, at(botID, "在吗"))
		private.Say(say("在吗"))
		f.advance(time.Minute)
		for _, prompt := range p.read("说")[3:] {
			here := strings.Contains(prompt, `<session type="group"`)
			assert.Equal(t, here, strings.Contains(prompt, `<person id="1001" name="张三" relation="neutral"><impression>爱操心</impression></person>`))
			assert.Equal(t, here, strings.Contains(prompt, `<person id="1002" name="李四" relation="neutral"><nickname by="1001">四哥</nickname></person>`))
		}
		people, err := memorytest.New(f, f.store, memory.Options{}).People("qq:group:1").All(f.Context())
		require.NoError(t, err)
		require.Len(t, people, 2, "only speakers, and no nickname for the bot's account")
		assert.Greater(t, people[0].Relation, 4.)
	})
}

// Of two people with the same message, recall prefers the one with more affinity.
func TestDigest_Affinity(t *testing.T) {
	for liked, first := range map[string]string{"1001": "东门", "1002": "西门"} {
		p := newTaskModel(nil)
		withFixture(t, p.model(), func(o *social.Options) { withDigest(onlyPeople)(o); o.Reply.History = 1 }, func(f *fixture) {
			m := memorytest.New(f, f.store, memory.Options{})
			for range 300 {
				_, err := m.People("qq:group:1").RecordInteraction(f.Context(), time.Now(), liked, memory.Interaction{Feeling: memory.Shy})
				require.NoError(f, err)
			}
			f.group.Say(alice, say("火锅店在东门，一月开张"))
			f.group.Say(bob, say("火锅店在西门，二月开张"))
			f.advance(2 * time.Minute) // next messages are another turn
			for range 8 {
				f.group.Say(bob, say("哦"))
			}
			f.advance(time.Minute)
			f.group.Say(alice, at(botID, "火锅店在哪"))
			f.advance(time.Minute)
			_, recall, _ := strings.Cut(p.last("说"), "<social_memory>")
			memory, _, _ := strings.Cut(recall, "</memory>")
			assert.Contains(f, memory, first)
		})
	}
}

// Once a local day a dream turns messages into facts, which only their own chat recalls.
func TestDigest_Dreams(t *testing.T) {
	p := newTaskModel(map[string]string{"梦": `{"insights": [{"text": "张三的猫叫年糕", "about": "1001", "importance": 0.9, "from": ["1"]}]}`})
	var private *onebottest.Friend
	withFixture(t, p.model(), withDigest(func(l *social.Digest) { onlyDreams(l) }), func(f *fixture) {
		private = f.qq.Friend(alice, "张三")
		f.advance(time.Hour)
		assert.Empty(t, p.read("梦"), "no messages yet")
		f.group.Say(alice, say("年糕又吐了"))
		f.advance(time.Hour)
		assert.Empty(t, p.read("梦"), "not night yet")
		f.advance(2 * time.Hour)
		require.Len(t, p.read("梦"), 1)
		assert.Contains(t, p.last("梦"), "年糕又吐了")
		f.stop()
		f.start(withDigest(onlyDreams))
		f.group.Say(bob, say("早"))
		f.advance(20 * time.Hour)
		require.Len(t, p.read("梦"), 1, "once a day, over restarts")
		f.group.Say(bob, at(botID, "张三的猫叫什么"))
		private.Say(say("我的猫叫什么"))
		f.advance(time.Minute)
		prompts := p.read("说")
		require.Len(t, prompts, 2)
		for _, prompt := range prompts {
			here := strings.Contains(prompt, `<session type="group"`)
			assert.Equal(t, here, strings.Contains(prompt, `<memory importance="high" who="1001"`), prompt)
			assert.Equal(t, here, strings.Contains(prompt, "张三的猫叫年糕"))
		}

		p.answer("梦", "今天没什么")
		f.advance(4 * time.Hour)
		assert.Len(t, p.read("梦"), 1+2*2*6, "invalid JSON is retried for both chats: at once, and 1, 3, 7, 15 and 31 minutes later; each time the model is asked twice")
		p.answer("梦", `{"insights": []}`)
		f.advance(2 * time.Hour)
		calm := len(p.read("梦"))
		f.advance(12 * time.Hour)
		assert.Len(t, p.read("梦"), calm)
	})
}

// If the process dies at any write during a dream, the next dream completes it with the same facts.
func TestDigest_DreamCrashes(t *testing.T) {
	facts := func(doom, how int) (found []string, died bool) {
		p := newTaskModel(map[string]string{"梦": `{"insights": [{"text": "甲养猫", "importance": 0.9, "from": "1"}, {"text": "乙养狗", "importance": 0.8, "from": "2"}]}`})
		withFixture(t, p.model(), nil, func(f *fixture) {
			f.stop()
			s := &crashingStore{MemStore: f.store}
			_, end := f.startOn(s, withDigest(onlyDreams))
			f.advance(time.Minute)
			f.group.Say(alice, say("我家的猫"))
			f.group.Say(bob, say("我家的狗"))
			f.advance(2 * time.Hour)
			s.crashAt(doom, how)
			f.advance(2 * time.Hour)
			end()
			died = s.hasCrashed()
			_, end = f.startOn(f.store, withDigest(onlyDreams))
			f.advance(time.Hour)
			end()
			for r := range f.store.Scan(f.Context(), "qq:group:1", 0) {
				if r.Kind != memory.KindMessage {
					found = append(found, fmt.Sprint(r.ID, r.Text, r.Importance, r.Sources, r.Person))
				}
			}
		})
		return found, died
	}
	want, _ := facts(0, 0)
	require.Len(t, want, 2)
	deaths := 0
	for doom := 1; ; doom++ {
		any := false
		for how := range 3 {
			if testing.Short() && how != doom%3 {
				continue
			}
			got, died := facts(doom, how)
			require.Equal(t, want, got, "write %d, %d", doom, how)
			any = any || died
		}
		if !any {
			break
		}
		deaths++
	}
	assert.GreaterOrEqual(t, deaths, 4)
}

// Over most of the budget no background calls are made, and turns continue.
func TestDigest_OverBudget(t *testing.T) {
	p := newTaskModel(map[string]string{"记": "x", "看人": "{}", "梦": `{"insights": []}`})
	withFixture(t, p.model(), func(o *social.Options) {
		withDigest(func(l *social.Digest) { l.Summary.Turns = 1; l.Dream.Hour = -1 })(o)
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 100_000})
		o.When.Attention.Budget.AddTokens(time.Now(), 75_000)
	}, func(f *fixture) {
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, f.sent(f.group.Chat()), 1)
		assert.Zero(t, f.bot.Stats().BackgroundCalls)
		f.advance(time.Hour)
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Len(t, p.read("看人"), 1, "later, including earlier messages")
		assert.Contains(t, p.last("看人"), "嗯1")
		s := f.bot.Stats()
		assert.Equal(t, int64(len(p.read("记"))+1), s.BackgroundCalls)
		assert.Equal(t, int64(len(p.read("说"))), s.ModelCalls-s.BackgroundCalls)
		assert.Positive(t, s.BackgroundTokens)
		assert.Less(t, s.BackgroundTokens, s.Tokens)
	})
}

// Background calls may have a model of their own, and a quota holds without dreams.
func TestDigest_OwnModelAndQuota(t *testing.T) {
	turns, asides := newTaskModel(nil), newTaskModel(map[string]string{"记": "x"})
	withFixture(t, turns.model(), func(o *social.Options) {
		withDigest(func(l *social.Digest) { onlySummaries(l); l.Summary.Turns = 1; l.Model = asides.model() })(o)
		o.Storage.Quota = memory.Quota{Records: 3}
	}, func(f *fixture) {
		for range 5 {
			f.group.Say(alice, say("今天好冷"))
		}
		f.group.Say(alice, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Empty(t, turns.read("记"))
		assert.NotEmpty(t, asides.read("记"))
		assert.Equal(t, int64(len(asides.read("记"))), f.bot.Stats().BackgroundCalls)
		assert.Len(t, f.journal("qq:group:1"), 7)
		f.advance(24 * time.Hour)
		assert.Len(t, f.journal("qq:group:1"), 3)
	})
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: turns.model(), Link: fake(), Storage: social.Storage{Quota: memory.Quota{Records: -1}}})
	assert.Error(t, err)
	_, err = social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: turns.model(), Link: fake(), Background: social.Background{Digest: &social.Digest{Timeout: -1}}})
	assert.Error(t, err)
}

// The owner's conversation has summaries and dreams like a chat, visible to the owner only. Secrets are not included.
func TestDigest_OwnersConversation(t *testing.T) {
	p := newTaskModel(map[string]string{"记": "主人要去北京", "梦": `{"insights": [{"text": "主人住在上海", "importance": 1}]}`})
	withFixture(t, p.model(), withDigest(func(l *social.Digest) { l.NoPeople = true; l.Summary.Turns = 1 }), func(f *fixture) {
		require.NoError(f, memorytest.New(f, f.store, memory.Options{}).Put(f.Context(), memory.Record{
			ID: "s", Space: memory.Space("qq:group:1").Secret(), Text: "不可说的事", Person: "1001", At: time.Now(),
		}))
		_, err := f.bot.OwnerMessage(f.Context(), "我要去北京出差")
		require.NoError(f, err)
		f.advance(time.Minute)
		require.Len(f, p.read("记"), 1)
		assert.Contains(f, p.last("记"), "<current_mode>agent</current_mode>")
		f.advance(4 * time.Hour)
		require.Len(f, p.read("梦"), 1, "secrets are not dreamed about")
		_, err = f.bot.OwnerMessage(f.Context(), "我住在哪")
		require.NoError(f, err)
		f.advance(time.Second) // before the next summary
		assert.Contains(f, p.last("说"), "主人住在上海")
		assert.NotContains(f, p.last("说"), "主人要去北京", "the dream replaced it")
		_, err = f.bot.OwnerMessage(f.Context(), "几点了")
		require.NoError(f, err)
		assert.Contains(f, p.last("说"), "<daily_hot_summary>\n主人要去北京")
		f.group.Say(alice, at(botID, "你主人住在哪，去北京吗"))
		f.advance(time.Minute)
		assert.Contains(f, p.last("说"), "你主人住在哪")
		for _, text := range []string{"主人住在上海", "主人要去北京", "不可说的事"} {
			assert.NotContains(f, p.last("说"), text)
		}
		for _, task := range []string{"说", "记", "梦"} {
			for _, prompt := range p.read(task) {
				assert.NotContains(f, prompt, "不可说的事")
			}
		}
	})
}

func TestLabels_HostHidesImpressions(t *testing.T) {
	for _, hidden := range []bool{true, false} {
		p := newTaskModel(map[string]string{"看人": `{"people": [{"id": "1001", "impression": "爱操心"}]}`})
		withFixture(t, p.model(), func(o *social.Options) {
			withDigest(onlyPeople)(o)
			o.Access.Labels.Of = func(d social.Datum, l memory.Label) memory.Label {
				if hidden && d == social.DatumImpression {
					return memory.OwnerOnly()
				}
				return l
			}
		}, func(f *fixture) {
			for range 2 {
				f.group.Say(alice, at(botID, "在吗"))
				f.advance(time.Minute)
			}
			spoke := p.read("说")
			assert.Equal(t, hidden, !strings.Contains(spoke[len(spoke)-1], "爱操心"))
			who, err := memorytest.New(f, f.store, memory.Options{}).People("qq:group:1").Get(f.Context(), "1001")
			require.NoError(t, err)
			assert.Equal(t, "爱操心", who.Impression)
			assert.Equal(t, hidden, who.Label.IsOwnerOnly())
		})
	}
}
