package social_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
)

func withExpressions(o *social.Options) {
	o.Background.Expressions = &social.Expressions{NoMeanings: true}
}

func withMeanings(o *social.Options) { o.Background.Expressions = &social.Expressions{} }

const carol = 1003

// talkLikeUs lets alice and bob answer good news with 狠狠羡慕 on eight days, and alice, bob and carol say 敲木鱼.
// There is another group, which it returns.
func talkLikeUs(f *fixture) (other *onebottest.Group) {
	f.group.Member(carol, "王五")
	other = f.qq.Group(2, "别的群")
	other.Member(alice, "张三")
	other.Member(carol, "王五")
	other.Say(alice, say("大家好"))
	other.Say(carol, say("你好"))
	for day := range 8 {
		f.group.Say(carol, say([]string{"今天真热", "刚开完会", "我的快递到了", "楼下新开了一家面馆", "明天要早起", "有人看球吗", "咖啡喝完了", "又下雨"}[day]))
		f.group.Say(carol, say("我考上了"))
		f.advance(time.Second)
		f.group.Say([]int64{alice, bob}[day%2], say("狠狠羡慕"))
		f.advance(time.Hour)
		for i, text := range []string{"今天又敲木鱼了", "谁在敲木鱼", "敲木鱼有用吗"} {
			f.group.Say([]int64{alice, bob, carol}[(day+i)%3], say(text))
			f.advance(time.Hour)
		}
		f.advance(20 * time.Hour)
	}
	return other
}

func formsOf(t *testing.T, f *fixture, chat persona.Chat) (forms []string) {
	all, err := f.bot.Expressions().List(f.Context(), chat)
	require.NoError(t, err)
	for _, e := range all {
		forms = append(forms, e.Form)
	}
	return forms
}

// The bot learns in the background. A prompt of that group shows what fits the talk, and no other chat is shown it.
func TestExpressions_InPrompts(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), withExpressions, func(f *fixture) {
		other := talkLikeUs(f)
		f.advance(24 * time.Hour)
		require.Subset(t, formsOf(t, f, factGroup), []string{"狠狠羡慕", "敲木鱼"}, "learned without a call")
		p.read("说")
		f.group.Say(carol, at(botID, "我考上了"))
		f.advance(time.Minute)
		prompt := p.last("说")
		assert.Contains(t, prompt, "有人赢了或报喜时，这个群的人常说“狠狠羡慕”")
		other.Say(carol, at(botID, "我考上了，去敲木鱼"))
		f.advance(time.Minute)
		assert.NotContains(t, p.last("说"), "这个群的人常说")
		assert.Empty(t, formsOf(t, f, persona.Chat{Platform: "qq", Kind: persona.Group, ID: "2"}))
		assert.Zero(t, f.bot.Stats().BackgroundCalls)
	})
}

// After a round the model is asked once about a group. Prompts show a meaning, and no word of a topic unless the owner allows it.
func TestExpressions_Meanings(t *testing.T) {
	p := newTaskModel(map[string]string{"群里的说法": `{"words": [{"word": "敲木鱼", "meaning": "求好运", "kind": "jargon"}, {"word": "狠狠羡慕", "meaning": "", "kind": "topic"}]}`})
	withFixture(t, p.model(), withMeanings, func(f *fixture) {
		talkLikeUs(f)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.advance(time.Minute)
		all := strings.Join(p.read("群里的说法"), "\n")
		calls := len(p.read("群里的说法"))
		assert.Equal(t, 1, strings.Count(all, "“敲木鱼”，例如："), "asked once, although it was learned in several rounds")
		assert.Equal(t, 1, strings.Count(all, "“狠狠羡慕”，例如：狠狠羡慕</memory>"))
		assert.Contains(t, all, "谁在敲木鱼")
		assert.NotContains(t, all, "别的群")
		review := f.bot.Expressions()
		found, err := review.List(f.Context(), factGroup)
		require.NoError(t, err)
		for _, e := range found {
			assert.NotEmpty(t, e.Class, "%s: not asked again", e.Form)
		}
		lastPrompt := func() string {
			f.group.Say(carol, at(botID, "我考上了，多亏敲木鱼"))
			f.advance(time.Minute)
			return p.last("说")
		}
		prompt := lastPrompt()
		assert.Contains(t, prompt, "这个群的人常说“敲木鱼”，意思是：求好运")
		assert.NotContains(t, prompt, "常说“狠狠羡慕”")
		require.NoError(t, review.Forbid(f.Context(), factGroup, "狠狠羡慕", false))
		assert.Contains(t, lastPrompt(), "常说“狠狠羡慕”")

		require.NoError(t, review.Learn(f.Context()))
		f.advance(time.Minute)
		assert.Len(t, p.read("群里的说法"), calls, "nothing new")
		assert.Contains(t, lastPrompt(), "意思是：求好运", "it lasts")
		_, err = f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		p.answer("群里的说法", `{"words": []}`)
		f.advance(time.Minute)
		assert.NotContains(t, lastPrompt(), "求好运", "alice's messages were read for it")
	})
}

// A call that fails is not repeated before the next round.
func TestExpressions_MeaningsFail(t *testing.T) {
	p := newTaskModel(map[string]string{})
	withFixture(t, p.model(), withMeanings, func(f *fixture) {
		talkLikeUs(f)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.advance(time.Minute)
		asked := len(p.read("群里的说法"))
		require.Positive(t, asked)
		f.advance(5 * time.Hour)
		assert.Len(t, p.read("群里的说法"), asked)
		p.answer("群里的说法", `{"words": []}`)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.advance(time.Minute)
		assert.Len(t, p.read("群里的说法"), asked+1, "the next round asks again")
	})
}

// If the rest of the budget is reserved for replies, nothing is asked.
func TestExpressions_MeaningsOverBudget(t *testing.T) {
	p := newTaskModel(map[string]string{})
	var budget *heartflow.Budget
	withFixture(t, p.model(), func(o *social.Options) {
		withMeanings(o)
		budget = newBudget(heartflow.BudgetOptions{HourTokens: 100_000})
		o.When.Attention.Budget = budget
	}, func(f *fixture) {
		talkLikeUs(f)
		asked := len(p.read("群里的说法"))
		budget.AddTokens(time.Now(), 75_000)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.advance(time.Minute)
		require.Contains(t, formsOf(t, f, factGroup), "敲木鱼")
		assert.Len(t, p.read("群里的说法"), asked)
		f.advance(2 * time.Hour)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.advance(time.Minute)
		assert.Greater(t, len(p.read("群里的说法")), asked)
	})
}

// A restart keeps the time of the last round.
func TestExpressions_Restart(t *testing.T) {
	withFixture(t, newTaskModel(nil).model(), withExpressions, func(f *fixture) {
		talkLikeUs(f)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		require.NotEmpty(t, formsOf(t, f, factGroup))
		for rec, err := range f.store.Scan(f.Context(), "qq:group:1", 0) {
			require.NoError(t, err)
			if rec.Kind == memory.KindExpression {
				require.NoError(t, f.bot.Memory().Delete(f.Context(), rec.Space, rec.ID))
			}
		}
		f.stop()
		f.start(withExpressions)
		f.group.Say(alice, say("在吗"))
		f.advance(19 * time.Hour)
		assert.Empty(t, formsOf(t, f, factGroup), "no round yet")
		f.advance(2 * time.Hour)
		assert.NotEmpty(t, formsOf(t, f, factGroup), "a day after the last one")

		rows, err := f.store.Load(f.Context(), "expressions/qq:group:1")
		require.NoError(t, err)
		require.NotEmpty(t, rows)
		_, err = f.bot.EraseChat(f.Context(), factGroup, nil)
		require.NoError(t, err)
		rows, err = f.store.Load(f.Context(), "expressions/qq:group:1")
		require.NoError(t, err)
		assert.Empty(t, rows)
	})
}

// The owner sees examples, sets a meaning and forbids an expression. Both last over a restart and another round.
func TestExpressions_Review(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), withExpressions, func(f *fixture) {
		talkLikeUs(f)
		review := f.bot.Expressions()
		require.NoError(t, review.Learn(f.Context()))
		all, err := review.List(f.Context(), factGroup)
		require.NoError(t, err)
		i := slices.IndexFunc(all, func(e expressions.Expression) bool { return e.Form == "敲木鱼" })
		require.GreaterOrEqual(t, i, 0)
		require.NotEmpty(t, all[i].Examples)
		assert.Contains(t, all[i].Examples[0].Text, "敲木鱼")

		require.NoError(t, review.SetMeaning(f.Context(), factGroup, "敲木鱼", "求好运"))
		require.NoError(t, review.Forbid(f.Context(), factGroup, "狠狠羡慕", true))
		require.ErrorIs(t, review.Forbid(f.Context(), factGroup, "没学过", true), social.ErrUnknownExpression)
		f.stop()
		f.start(withExpressions)
		require.NoError(t, f.bot.Expressions().Learn(f.Context()))
		f.group.Say(carol, at(botID, "我考上了，多亏敲木鱼"))
		f.advance(time.Minute)
		prompt := p.last("说")
		assert.Contains(t, prompt, "这个群的人常说“敲木鱼”，意思是：求好运")
		assert.NotContains(t, prompt, "常说“狠狠羡慕”")
		require.NoError(t, f.bot.Expressions().Forbid(f.Context(), factGroup, "狠狠羡慕", false))
		f.group.Say(carol, at(botID, "我考上了"))
		f.advance(time.Minute)
		assert.Contains(t, p.last("说"), "常说“狠狠羡慕”")
	})
}

// An erased person leaves no expression that no two others use, and no example.
func TestExpressions_Erase(t *testing.T) {
	p := newTaskModel(nil)
	withFixture(t, p.model(), withExpressions, func(f *fixture) {
		talkLikeUs(f)
		review := f.bot.Expressions()
		require.NoError(t, review.Learn(f.Context()))
		require.Subset(t, formsOf(t, f, factGroup), []string{"狠狠羡慕", "敲木鱼"})
		require.NoError(t, review.SetMeaning(f.Context(), factGroup, "狠狠羡慕", "张三发明的"))
		_, err := f.bot.ErasePerson(f.Context(), persona.Account{Platform: "qq", ID: "1001"}, nil)
		require.NoError(t, err)
		f.advance(time.Minute)
		assert.NotContains(t, formsOf(t, f, factGroup), "狠狠羡慕")
		assert.Contains(t, formsOf(t, f, factGroup), "敲木鱼", "two others use it")
		for rec, err := range f.store.Scan(f.Context(), "qq:group:1", 0) {
			require.NoError(t, err)
			if rec.Kind == memory.KindExpression {
				assert.NotContains(t, rec.Tags, "from:1001")
				assert.NotEqual(t, "狠狠羡慕", rec.Text)
			}
		}
		rows, err := f.store.Load(f.Context(), "")
		require.NoError(t, err)
		for name, row := range rows {
			assert.False(t, strings.Contains(string(row), "张三发明的"), name)
		}
	})
}

func TestExpressions_Options(t *testing.T) {
	_, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: newTaskModel(nil).model(), Link: fake(), Background: social.Background{Expressions: &social.Expressions{PerTurn: -1}}})
	require.ErrorContains(t, err, "must not be negative")
	bot, err := social.New(social.Options{Profile: persona.Profile{Name: "小炉"}, Model: newTaskModel(nil).model(), Link: fake(), Background: social.Background{Expressions: &social.Expressions{Off: true}}})
	require.NoError(t, err)
	require.ErrorIs(t, bot.Expressions().Learn(t.Context()), social.ErrNoExpressions)
}
