package social_test

import (
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var factGroup = persona.Chat{Platform: "qq", Kind: persona.Group, ID: "1"}

func withFacts(o *social.Options) { o.Background.Facts = &social.Facts{} }

// personIn returns the element of a person in a prompt.
func personIn(prompt, id string) string {
	_, rest, ok := strings.Cut(prompt, `<person id="`+id+`"`)
	if !ok {
		return ""
	}
	element, _, _ := strings.Cut(rest, "</person>")
	return element
}

// factValues returns what holds now about a person in the group.
func factValues(f *fixture, id string) (values []string) {
	all, err := f.bot.Facts(f.Context(), factGroup, time.Time{}, id)
	require.NoError(f, err)
	for _, one := range all {
		values = append(values, one.Value)
	}
	return values
}

// A prompt shows what holds now about the people who speak or are named, and only in the chat where it was said.
func TestFacts_InPrompts(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), withFacts, func(f *fixture) {
		private := f.qq.Friend(alice, "张三")
		f.group.Say(alice, say("我在腾讯上班"))
		f.advance(24 * time.Hour)
		f.group.Say(bob, say("听说张三搬到成都了"))
		f.advance(24 * time.Hour)
		f.group.Say(alice, say("跳槽成功，我入职华为了"))
		f.advance(time.Minute)
		f.group.Say(alice, at(botID, "在吗"))
		private.Say(say("在吗"))
		f.advance(time.Minute)
		prompts := p.read("说")
		require.Len(t, prompts, 2)
		for _, prompt := range prompts {
			if strings.Contains(prompt, `<session type="group"`) {
				who := personIn(prompt, "1001")
				assert.Contains(t, who, "<fact>工作 = 华为（1月3日起，本人说）</fact>")
				assert.Contains(t, who, "<fact>住处 = 成都（1月2日起，李四说）</fact>")
				assert.NotContains(t, who, "腾讯")
			} else {
				assert.NotContains(t, prompt, "<fact>")
			}
		}
		then, err := f.bot.Facts(f.Context(), factGroup, time.Now().Add(-24*time.Hour), "1001")
		require.NoError(t, err)
		require.Len(t, then, 2)
		assert.Equal(t, "腾讯", then[0].Value)
		history, err := f.bot.FactHistory(f.Context(), factGroup, "1001", facts.Job)
		require.NoError(t, err)
		assert.Len(t, history, 2)

		f.stop()
		f.start(withFacts)
		f.group.Say(bob, at(botID, "张三现在在干嘛"))
		f.advance(time.Minute)
		assert.Contains(t, personIn(p.last("说"), "1001"), "工作 = 华为", "it is named, and a restart loses nothing")
		assert.Zero(t, f.bot.Stats().BackgroundCalls)
	})
}

// A recalled message says nothing any more, and an erased person has no facts.
func TestFacts_RecallAndErase(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), withFacts, func(f *fixture) {
		known := func(id string) []string { return factValues(f, id) }
		f.group.Say(alice, say("我住在北京"))
		f.advance(time.Minute)
		id := f.group.Say(alice, say("我搬到成都了"))
		f.group.Say(bob, say("张三养了一只橘猫"))
		f.group.Say(bob, say("我打算考研"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"成都", "橘猫"}, known("1001"))
		f.qq.Recall(id)
		f.advance(time.Second)
		assert.Equal(t, []string{"北京", "橘猫"}, known("1001"))
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		f.advance(time.Minute)
		assert.Empty(t, known("1001"))
		assert.Equal(t, []string{"考研"}, known("1002"))
		for rec, err := range f.store.Scan(f.Context(), "qq:group:1", 0) {
			require.NoError(t, err)
			if rec.Kind == memory.KindClaim {
				assert.Equal(t, "1002", rec.Person)
			}
		}
		f.group.Say(bob, at(botID, "张三呢"))
		f.advance(time.Minute)
		assert.NotContains(t, p.last("说"), "橘猫（")
	})
}

// Cards and forwards are words of others.
func TestFacts_TypedWordsOnly(t *testing.T) {
	withFixture(t, newTaskModel(nil).model(), withFacts, func(f *fixture) {
		f.group.Say(bob, say("早"))
		f.group.Say(alice, append(onebot.Message{onebot.Text("听说")}, at(bob, "养了一只橘猫")...))
		f.group.Say(alice, onebot.Message{onebot.Share("https://example.org", "我搬到武汉了", "我在腾讯上班", ""), onebot.Text("我住在北京")})
		f.advance(time.Minute)
		all, err := f.bot.Facts(f.Context(), factGroup, time.Time{}, "1001", "1002")
		require.NoError(t, err)
		require.Len(t, all, 2)
		assert.Equal(t, "北京", all[0].Value)
		assert.Equal(t, "1002", all[1].Subject, "a mention names the person")
		assert.Equal(t, "1001", all[1].Speaker)
	})
}

// Messages of earlier runs are read at the first start with facts.
func TestFacts_ReadsEarlierMessages(t *testing.T) {
	withFixture(t, newTaskModel(nil).model(), nil, func(f *fixture) {
		f.group.Say(alice, say("我在腾讯上班"))
		f.advance(time.Minute)
		_, err := f.bot.Facts(f.Context(), factGroup, time.Time{}, "1001")
		require.ErrorIs(t, err, social.ErrNoFacts)
		f.stop()
		f.start(withFacts)
		f.group.Say(bob, say("早"))
		f.advance(time.Minute)
		all, err := f.bot.Facts(f.Context(), factGroup, time.Time{}, "1001")
		require.NoError(t, err)
		require.Len(t, all, 1)
		assert.Equal(t, "腾讯", all[0].Value)
	})
}

func TestFacts_Options(t *testing.T) {
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: newTaskModel(nil).model(), Link: fake(), Background: social.Background{Facts: &social.Facts{People: -1}}})
	assert.ErrorContains(t, err, "must not be negative")
}

// The nightly dream reads what was missed, and it is forgotten like the rest.
func TestFacts_FromDreams(t *testing.T) {
	dreamt := `{"insights": [], "facts": [
		{"about": "1001", "relation": "job", "value": "腾讯", "over": true, "from": ["2"]}, {"about": "1002", "relation": "pet", "value": "猫", "over": false, "from": 3},
		{"about": "1001", "relation": "place", "value": "北京", "from": "99"}, {"about": "404", "relation": "place", "value": "北京", "from": "1"}]}`
	p := newTaskModel(map[string]string{"梦": dreamt, "记": "没什么", "看人": `{"people": []}`})
	withFixture(t, p.model(), func(o *social.Options) { withFacts(o); withDigest(nil)(o) }, func(f *fixture) {
		known := func(id string) []string { return factValues(f, id) }
		f.group.Say(alice, say("我在腾讯上班"))
		f.advance(time.Minute)
		f.group.Say(alice, say("鹅厂的门禁卡刷不开门喽"))
		f.group.Say(alice, say("李四那只猫越来越胖"))
		f.group.Say(bob, say("哈哈"))
		f.advance(time.Minute)
		assert.Equal(t, []string{"腾讯"}, known("1001"))
		f.advance(28 * time.Hour)
		require.NotEmpty(t, p.read("梦"))
		assert.Empty(t, known("1001"))
		assert.Equal(t, []string{"猫"}, known("1002"))

		f.group.Say(bob, at(botID, "在吗"))
		f.advance(time.Minute)
		assert.Contains(t, personIn(p.last("说"), "1002"), "宠物 = 猫")
		f.stop()
		f.start(func(o *social.Options) { withFacts(o); withDigest(nil)(o) })
		assert.Equal(t, []string{"猫"}, known("1002"))
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		assert.Empty(t, known("1002"), "its source is gone")
	})
}
