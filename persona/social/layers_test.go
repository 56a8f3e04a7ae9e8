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

// TestHotSummary: with twenty turns a chat is summed up, and its next prompts show it, after a restart too; no other chat's do.
func TestHotSummary(t *testing.T) {
	p := ponders(map[string]string{"记": "张三丢了钥匙"})
	inBubble(t, p.model(), layered(onlySummaries), func(b *bubble) {
		private := b.qq.Friend(alice, "张三")
		for i := range 19 {
			b.group.Say(alice, say(fmt.Sprint("第", i, "句")))
			b.pass(90 * time.Second)
		}
		assert.Empty(t, p.read("记"), "nineteen turns")
		id := b.group.Say(bob, say("第二十句"))
		b.pass(90 * time.Second)
		require.Len(t, p.read("记"), 1)
		assert.Contains(t, p.last("记"), "第0句")
		assert.Contains(t, p.last("记"), "第二十句")
		assert.Equal(t, int64(1), b.being.Stats().BackgroundCalls)
		assert.Equal(t, int64(0), b.being.Stats().Turns, "it is no turn")

		b.group.Say(bob, at(bot, "在吗"))
		private.Say(say("在吗"))
		b.pass(time.Minute)
		prompts := p.read("说")
		require.Len(t, prompts, 2)
		for _, prompt := range prompts {
			assert.Equal(t, strings.Contains(prompt, `<session type="group"`), strings.Contains(prompt, "<daily_hot_summary>\n张三丢了钥匙\n</daily_hot_summary>"))
		}
		b.stop()
		b.start(layered(onlySummaries))
		b.group.Say(bob, at(bot, "还在吗"))
		b.pass(time.Minute)
		assert.Contains(t, p.last("说"), "张三丢了钥匙", "it survives a restart")

		b.qq.Recall(id)
		b.pass(time.Second)
		b.group.Say(bob, at(bot, "还记得吗"))
		b.pass(time.Minute)
		assert.NotContains(t, p.last("说"), "张三丢了钥匙", "a message that is in it was taken back")
		assert.Len(t, b.sent(b.group.Chat()), 3)
	})
}

// TestSummaryFails: a failure keeps the old summary, and there is never more than one call at a time.
func TestSummaryFails(t *testing.T) {
	p := ponders(map[string]string{"记": "旧的"})
	p.slow = 30 * time.Second
	inBubble(t, p.model(), layered(func(l *social.Digest) { onlySummaries(l); l.Summary.Turns = 2 }), func(b *bubble) {
		talk := func(n int) {
			for range n {
				b.group.Say(alice, say("今天好冷"))
				b.pass(90 * time.Second)
			}
		}
		talk(2)
		b.pass(time.Minute)
		digest, err := memorytest.New(b, b.store, memory.Options{}).Summary(b.Context(), "qq:group:1")
		require.NoError(t, err)
		require.Equal(t, "旧的", digest.Text)
		p.answer("记", "")
		talk(6)
		tried := len(p.read("记")) - 1
		assert.Positive(t, tried)
		assert.Less(t, tried, 6, "it rests after a failure")
		digest, err = memorytest.New(b, b.store, memory.Options{}).Summary(b.Context(), "qq:group:1")
		require.NoError(t, err)
		assert.Equal(t, "旧的", digest.Text)
		p.answer("记", "新的")
		b.pass(time.Hour)
		talk(1)
		assert.Contains(t, p.last("记"), "旧的", "old and raw make the new one")
		digest, err = memorytest.New(b, b.store, memory.Options{}).Summary(b.Context(), "qq:group:1")
		require.NoError(t, err)
		assert.Equal(t, "新的", digest.Text)
	})
}

// TestPeopleAreRegarded: after a reply it is made out what to think of who spoke and what they are called; later prompts of that chat show it.
func TestPeopleAreRegarded(t *testing.T) {
	p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "feeling": "happy", "stance": 1, "impression": "爱操心"}, {"id": "1003", "impression": "没来过"}],
		"names": [{"id": "1002", "name": "四哥", "by": "1001", "sure": true}, {"id": "10000", "name": "四哥", "by": "1001", "sure": true}]}`})
	inBubble(t, p.model(), layered(onlyPeople), func(b *bubble) {
		private := b.qq.Friend(alice, "张三")
		b.group.Say(bob, say("早"))
		b.group.Say(alice, at(bob, "四哥早"))
		b.pass(time.Minute)
		assert.Empty(t, p.read("看人"), "it has not spoken")
		for range 3 { // a name is told when it was used often enough
			b.group.Say(alice, at(bot, "问问四哥吧"))
			b.group.Say(bob, say("嗯"))
			b.pass(time.Minute)
		}
		require.Len(t, p.read("看人"), 3)
		assert.Contains(t, p.read("看人")[1], "<impression>爱操心</impression>")
		assert.NotContains(t, p.read("看人")[1], "四哥早", "what was looked at already")
		b.group.Say(alice, at(bot, "在吗"))
		private.Say(say("在吗"))
		b.pass(time.Minute)
		for _, prompt := range p.read("说")[3:] {
			here := strings.Contains(prompt, `<session type="group"`)
			assert.Equal(t, here, strings.Contains(prompt, `<person id="1001" name="张三" relation="neutral"><impression>爱操心</impression></person>`))
			assert.Equal(t, here, strings.Contains(prompt, `<person id="1002" name="李四" relation="neutral"><nickname by="1001">四哥</nickname></person>`))
		}
		people, err := memorytest.New(b, b.store, memory.Options{}).People("qq:group:1").All(b.Context())
		require.NoError(t, err)
		require.Len(t, people, 2, "who did not speak is not regarded, and its own account has no nickname")
		assert.Greater(t, people[0].Relation, 4.)
	})
}

// TestAffinity: of two who said the same, who is liked is recalled first.
func TestAffinity(t *testing.T) {
	for liked, first := range map[string]string{"1001": "东门", "1002": "西门"} {
		p := ponders(nil)
		inBubble(t, p.model(), func(o *social.Options) { layered(onlyPeople)(o); o.Reply.History = 1 }, func(b *bubble) {
			m := memorytest.New(b, b.store, memory.Options{})
			for range 300 {
				_, err := m.People("qq:group:1").RecordInteraction(b.Context(), time.Now(), liked, memory.Interaction{Feeling: memory.Shy})
				require.NoError(b, err)
			}
			b.group.Say(alice, say("火锅店在东门，一月开张"))
			b.group.Say(bob, say("火锅店在西门，二月开张"))
			b.pass(2 * time.Minute) // what comes then is another turn
			for range 8 {
				b.group.Say(bob, say("哦"))
			}
			b.pass(time.Minute)
			b.group.Say(alice, at(bot, "火锅店在哪"))
			b.pass(time.Minute)
			_, recall, _ := strings.Cut(p.last("说"), "<social_memory>")
			memory, _, _ := strings.Cut(recall, "</memory>")
			assert.Contains(b, memory, first)
		})
	}
}

// TestDreams: once for each local day what was said becomes facts that the chat recalls, and no other chat does.
func TestDreams(t *testing.T) {
	p := ponders(map[string]string{"梦": `{"insights": [{"text": "张三的猫叫年糕", "about": "1001", "importance": 0.9, "from": ["1"]}]}`})
	var private *onebottest.Friend
	inBubble(t, p.model(), layered(func(l *social.Digest) { onlyDreams(l) }), func(b *bubble) {
		private = b.qq.Friend(alice, "张三")
		b.pass(time.Hour)
		assert.Empty(t, p.read("梦"), "nothing was said yet")
		b.group.Say(alice, say("年糕又吐了"))
		b.pass(time.Hour)
		assert.Empty(t, p.read("梦"), "the night has not fallen")
		b.pass(2 * time.Hour)
		require.Len(t, p.read("梦"), 1)
		assert.Contains(t, p.last("梦"), "年糕又吐了")
		b.stop()
		b.start(layered(onlyDreams))
		b.group.Say(bob, say("早"))
		b.pass(20 * time.Hour)
		require.Len(t, p.read("梦"), 1, "once for each day, whoever starts it")
		b.group.Say(bob, at(bot, "张三的猫叫什么"))
		private.Say(say("我的猫叫什么"))
		b.pass(time.Minute)
		prompts := p.read("说")
		require.Len(t, prompts, 2)
		for _, prompt := range prompts {
			here := strings.Contains(prompt, `<session type="group"`)
			assert.Equal(t, here, strings.Contains(prompt, `<memory importance="high" who="1001"`), prompt)
			assert.Equal(t, here, strings.Contains(prompt, "张三的猫叫年糕"))
		}

		p.answer("梦", "今天没什么")
		b.pass(4 * time.Hour)
		assert.Len(t, p.read("梦"), 1+2*6, "what is no JSON is asked for again, of both chats: at once, and 1, 3, 7, 15 and 31 minutes later")
		p.answer("梦", `{"insights": []}`)
		b.pass(2 * time.Hour)
		calm := len(p.read("梦"))
		b.pass(12 * time.Hour)
		assert.Len(t, p.read("梦"), calm)
	})
}

// TestDreamKilled: whenever the process dies in a night, the next one ends it with the same facts.
func TestDreamKilled(t *testing.T) {
	facts := func(doom, how int) (found []string, died bool) {
		p := ponders(map[string]string{"梦": `{"insights": [{"text": "甲养猫", "importance": 0.9, "from": "1"}, {"text": "乙养狗", "importance": 0.8, "from": "2"}]}`})
		inBubble(t, p.model(), nil, func(b *bubble) {
			b.stop()
			s := &mortal{MemStore: b.store}
			_, end := b.live(s, layered(onlyDreams))
			b.pass(time.Minute)
			b.group.Say(alice, say("我家的猫"))
			b.group.Say(bob, say("我家的狗"))
			b.pass(2 * time.Hour)
			s.doom(doom, how)
			b.pass(2 * time.Hour)
			end()
			died = s.died()
			_, end = b.live(b.store, layered(onlyDreams))
			b.pass(time.Hour)
			end()
			for r := range b.store.Scan(b.Context(), "qq:group:1", 0) {
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

// TestSpentBudget: when most of the budget is spent nothing is made in the background, and turns go on.
func TestSpentBudget(t *testing.T) {
	p := ponders(map[string]string{"记": "x", "看人": "{}", "梦": `{"insights": []}`})
	inBubble(t, p.model(), func(o *social.Options) {
		layered(func(l *social.Digest) { l.Summary.Turns = 1; l.Dream.Hour = -1 })(o)
		o.When.Attention.Budget = newBudget(heartflow.BudgetOptions{HourTokens: 100_000})
		o.When.Attention.Budget.AddTokens(time.Now(), 75_000)
	}, func(b *bubble) {
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Len(t, b.sent(b.group.Chat()), 1)
		assert.Zero(t, b.being.Stats().BackgroundCalls)
		b.pass(time.Hour)
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Len(t, p.read("看人"), 1, "later, also of what was said before")
		assert.Contains(t, p.last("看人"), "嗯1")
		s := b.being.Stats()
		assert.Equal(t, int64(len(p.read("记"))+1), s.BackgroundCalls)
		assert.Equal(t, int64(len(p.read("说"))), s.ModelCalls-s.BackgroundCalls)
		assert.Positive(t, s.BackgroundTokens)
		assert.Less(t, s.BackgroundTokens, s.Tokens)
	})
}

// TestOwnModelAndQuota: what is made in the background may have a model of its own, and a quota is kept without dreams.
func TestOwnModelAndQuota(t *testing.T) {
	turns, asides := ponders(nil), ponders(map[string]string{"记": "x"})
	inBubble(t, turns.model(), func(o *social.Options) {
		layered(func(l *social.Digest) { onlySummaries(l); l.Summary.Turns = 1; l.Model = asides.model() })(o)
		o.Storage.Quota = memory.Quota{Records: 3}
	}, func(b *bubble) {
		for range 5 {
			b.group.Say(alice, say("今天好冷"))
		}
		b.group.Say(alice, at(bot, "在吗"))
		b.pass(time.Minute)
		assert.Empty(t, turns.read("记"))
		assert.NotEmpty(t, asides.read("记"))
		assert.Equal(t, int64(len(asides.read("记"))), b.being.Stats().BackgroundCalls)
		assert.Len(t, b.journal("qq:group:1"), 7)
		b.pass(24 * time.Hour)
		assert.Len(t, b.journal("qq:group:1"), 3)
	})
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: turns.model(), Link: fake(), Storage: social.Storage{Quota: memory.Quota{Records: -1}}})
	assert.Error(t, err)
	_, err = social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: turns.model(), Link: fake(), Background: social.Background{Digest: &social.Digest{Timeout: -1}}})
	assert.Error(t, err)
}

// TestOwnersLayers: the talk with the owner is summed up and dreamed of like any other, for nobody else; what is secret is not.
func TestOwnersLayers(t *testing.T) {
	p := ponders(map[string]string{"记": "主人要去北京", "梦": `{"insights": [{"text": "主人住在上海", "importance": 1}]}`})
	inBubble(t, p.model(), layered(func(l *social.Digest) { l.NoPeople = true; l.Summary.Turns = 1 }), func(b *bubble) {
		require.NoError(b, memorytest.New(b, b.store, memory.Options{}).Put(b.Context(), memory.Record{
			ID: "s", Space: memory.Space("qq:group:1").Secret(), Text: "不可说的事", Person: "1001", At: time.Now(),
		}))
		_, err := b.being.OwnerMessage(b.Context(), "我要去北京出差")
		require.NoError(b, err)
		b.pass(time.Minute)
		require.Len(b, p.read("记"), 1)
		assert.Contains(b, p.last("记"), "<current_mode>agent</current_mode>")
		b.pass(4 * time.Hour)
		require.Len(b, p.read("梦"), 1, "nothing is dreamed of what is secret")
		_, err = b.being.OwnerMessage(b.Context(), "我住在哪")
		require.NoError(b, err)
		b.pass(time.Second) // before the next summary
		assert.Contains(b, p.last("说"), "主人住在上海")
		assert.NotContains(b, p.last("说"), "主人要去北京", "the dream has taken it up")
		_, err = b.being.OwnerMessage(b.Context(), "几点了")
		require.NoError(b, err)
		assert.Contains(b, p.last("说"), "<daily_hot_summary>\n主人要去北京")
		b.group.Say(alice, at(bot, "你主人住在哪，去北京吗"))
		b.pass(time.Minute)
		assert.Contains(b, p.last("说"), "你主人住在哪")
		for _, told := range []string{"主人住在上海", "主人要去北京", "不可说的事"} {
			assert.NotContains(b, p.last("说"), told)
		}
		for _, task := range []string{"说", "记", "梦"} {
			for _, prompt := range p.read(task) {
				assert.NotContains(b, prompt, "不可说的事")
			}
		}
	})
}

func TestLabels_TheHostHidesImpressions(t *testing.T) {
	for _, hidden := range []bool{true, false} {
		p := ponders(map[string]string{"看人": `{"people": [{"id": "1001", "impression": "爱操心"}]}`})
		inBubble(t, p.model(), func(o *social.Options) {
			layered(onlyPeople)(o)
			o.Access.Labels.Of = func(d social.Datum, l memory.Label) memory.Label {
				if hidden && d == social.DatumImpression {
					return memory.OwnerOnly()
				}
				return l
			}
		}, func(b *bubble) {
			for range 2 {
				b.group.Say(alice, at(bot, "在吗"))
				b.pass(time.Minute)
			}
			spoke := p.read("说")
			assert.Equal(t, hidden, !strings.Contains(spoke[len(spoke)-1], "爱操心"))
			who, err := memorytest.New(b, b.store, memory.Options{}).People("qq:group:1").Get(b.Context(), "1001")
			require.NoError(t, err)
			assert.Equal(t, "爱操心", who.Impression)
			assert.Equal(t, hidden, who.Label.IsOwnerOnly())
		})
	}
}
