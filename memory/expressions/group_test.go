package expressions_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/expressions"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

const space memory.Space = "qq:group:1"

var noon = time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)

// talk returns messages of six people on ten days. Four of them say 敲木鱼, and ann answers good news with 狠狠羡慕, as bob does.
func talk() (recs []memory.Record) {
	say := func(day int, person, text string) {
		at := noon.AddDate(0, 0, day).Add(time.Duration(len(recs)%60) * time.Minute)
		recs = append(recs, memory.Record{ID: fmt.Sprint("m", len(recs)), Space: space, Kind: memory.KindMessage, Person: person, Name: "名" + person, Text: text, At: at})
	}
	ordinary := []string{"今天真热", "晚上去跑步吗", "刚开完会", "楼下新开了一家面馆", "我的快递到了", "有人看球吗", "明天要早起"}
	for day := range 10 {
		for i, person := range []string{"ann", "bob", "cat", "dan", "eve", "fay"} {
			say(day, person, ordinary[(3*day+i)%len(ordinary)])
		}
		who := []string{"ann", "bob", "cat", "dan"}[day%4]
		say(day, who, []string{"今天又敲木鱼了", "我去敲木鱼", "谁在敲木鱼", "敲木鱼有用吗"}[day%4])
		say(day, "eve", "我考上了")
		say(day, []string{"ann", "bob"}[day%2], "狠狠羡慕")
	}
	return recs
}

func newGroup(t *testing.T) (*memory.Memory, *memory.MemStore, *expressions.Group) {
	store := memory.NewMemStore()
	mem := memorytest.New(t, store, memory.Options{})
	require.NoError(t, mem.Put(t.Context(), talk()...))
	return mem, store, expressions.New(mem, store, space)
}

func learn(t *testing.T, store memory.Store, g *expressions.Group, now time.Time) {
	messages, err := expressions.Messages(t.Context(), store, space, time.Time{}, func(r memory.Record) expressions.Message {
		return expressions.Message{ID: r.ID, Person: r.Person, Name: r.Name, Text: r.Text, At: r.At}
	})
	require.NoError(t, err)
	var corpus expressions.Corpus
	corpus.Add(messages)
	corpus.Add([]expressions.Message{{ID: "x", Person: "zed", Text: "别的群", At: noon}})
	require.NoError(t, g.Put(t.Context(), now, noon, expressions.Learn(now, messages, expressions.Options{Corpus: &corpus})))
}

func forms(t *testing.T, g *expressions.Group) (all []string) {
	list, err := g.All(t.Context())
	require.NoError(t, err)
	for _, e := range list {
		all = append(all, e.Form)
	}
	return all
}

func TestGroup_Stored(t *testing.T) {
	mem, store, g := newGroup(t)
	now := noon.AddDate(0, 0, 10)
	learn(t, store, g, now)
	all, err := expressions.New(mem, store, space).All(t.Context())
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(e expressions.Expression) bool { return e.Form == "狠狠羡慕" })
	require.GreaterOrEqual(t, i, 0)
	e := all[i]
	assert.Equal(t, expressions.Saying, e.Kind)
	assert.Equal(t, expressions.GoodNews, e.Situation)
	assert.Equal(t, 10, e.Count)
	assert.Equal(t, 2, e.People)
	assert.Equal(t, memory.Untrusted(space), e.Label)
	examples, err := g.Examples(t.Context(), e)
	require.NoError(t, err)
	require.NotEmpty(t, examples)
	assert.Equal(t, "狠狠羡慕", examples[0].Text)
	hits, err := mem.Reader(space).Recall(t.Context(), now, memory.Query{Text: "狠狠羡慕", Kinds: []string{memory.KindExpression}})
	require.NoError(t, err)
	assert.Empty(t, hits)
}

// An erased person takes along the expressions that have no other two users. The others are found again without the person.
func TestGroup_ErasePerson(t *testing.T) {
	mem, store, g := newGroup(t)
	now := noon.AddDate(0, 0, 10)
	learn(t, store, g, now)
	require.Contains(t, forms(t, g), "狠狠羡慕")
	require.Contains(t, forms(t, g), "敲木鱼")

	_, err := mem.ErasePerson(t.Context(), "ann", memory.EraseOptions{})
	require.NoError(t, err)
	assert.NotContains(t, forms(t, g), "狠狠羡慕")
	learn(t, store, g, now)
	assert.NotContains(t, forms(t, g), "狠狠羡慕")
	assert.Contains(t, forms(t, g), "敲木鱼")
	for r, err := range store.Scan(t.Context(), space, 0) {
		require.NoError(t, err)
		assert.NotContains(t, r.Tags, "from:ann")
	}
}

func TestGroup_DeletedMessage(t *testing.T) {
	mem, store, g := newGroup(t)
	learn(t, store, g, noon.AddDate(0, 0, 10))
	all, err := g.All(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.NoError(t, mem.Delete(t.Context(), space, all[0].Examples[0].ID))
	assert.NotContains(t, forms(t, g), all[0].Form)
}

func exampleIDs(e expressions.Expression) (ids []string) {
	for _, one := range e.Examples {
		ids = append(ids, one.ID)
	}
	return ids
}

// A meaning and its class stay while all messages exist that the model has read, over many rounds.
func TestGroup_Meaning(t *testing.T) {
	mem, store, g := newGroup(t)
	now := noon.AddDate(0, 0, 10)
	learn(t, store, g, now)
	all, err := g.All(t.Context())
	require.NoError(t, err)
	i := slices.IndexFunc(all, func(e expressions.Expression) bool { return e.Form == "敲木鱼" })
	require.GreaterOrEqual(t, i, 0)
	read := []string{all[i].Examples[0].ID}
	for _, e := range all {
		if e.Form != "敲木鱼" && len(e.Examples) > 0 && !slices.Contains(read, e.Examples[0].ID) {
			read = append(read, e.Examples[0].ID)
		}
	}
	require.Greater(t, len(read), 1)
	require.NoError(t, g.SetMeaning(t.Context(), "expression:none", "没有", expressions.Jargon, read...))
	require.NoError(t, g.SetMeaning(t.Context(), all[i].ID, "祈祷好运", expressions.Jargon, read...))
	found := func() expressions.Expression {
		all, err := g.All(t.Context())
		require.NoError(t, err)
		i := slices.IndexFunc(all, func(e expressions.Expression) bool { return e.Form == "敲木鱼" })
		require.GreaterOrEqual(t, i, 0)
		return all[i]
	}
	for range 3 {
		learn(t, store, g, now)
		e := found()
		assert.Equal(t, "祈祷好运", e.Meaning)
		assert.Equal(t, expressions.Jargon, e.Class)
		assert.ElementsMatch(t, read, e.MeaningOf)
		assert.Equal(t, exampleIDs(all[i]), exampleIDs(e))
	}
	require.NoError(t, mem.Delete(t.Context(), space, read[len(read)-1])) // an example of another expression
	learn(t, store, g, now)
	assert.Empty(t, found().Meaning)
	assert.Empty(t, found().Class)
	assert.Empty(t, found().MeaningOf)
	require.NoError(t, g.SetMeaning(t.Context(), all[i].ID, "祈祷好运", expressions.Jargon, read...))
	assert.Empty(t, found().Meaning, "one of the messages is gone")
}

// An expression that nobody uses any more loses its weight and is deleted.
func TestGroup_Decay(t *testing.T) {
	_, store, g := newGroup(t)
	learn(t, store, g, noon.AddDate(0, 0, 10))
	all, err := g.All(t.Context())
	require.NoError(t, err)
	require.NotEmpty(t, all)
	require.NoError(t, g.Put(t.Context(), noon.AddDate(0, 0, 11), noon.AddDate(0, 0, 11), nil))
	assert.Len(t, forms(t, g), len(all))
	require.NoError(t, g.Put(t.Context(), noon.AddDate(0, 0, 60), noon.AddDate(0, 0, 60), nil))
	assert.Empty(t, forms(t, g))
}

func TestFit(t *testing.T) {
	all := []expressions.Expression{
		{Form: "敲木鱼", Kind: expressions.Word, Confidence: .9, Last: noon},
		{Form: "狠狠羡慕", Kind: expressions.Saying, Situation: expressions.GoodNews, Confidence: .8, Last: noon},
		{Form: "退朝", Kind: expressions.Saying, Situation: expressions.GoodNight, Confidence: .8, Last: noon},
		{Form: "hour", Kind: expressions.Word, Confidence: .9, Last: noon},
		{Form: "奶茶", Kind: expressions.Word, Confidence: .9, Last: noon, Class: expressions.Topic},
		{Form: "阿飞", Kind: expressions.Word, Confidence: .9, Last: noon, Class: expressions.Name},
		{Form: "星巴克", Kind: expressions.Word, Confidence: .9, Last: noon, Class: expressions.Name, Allowed: true},
		{Form: "鲨了你", Kind: expressions.Saying, Situation: expressions.GoodNews, Confidence: .8, Last: noon, Forbidden: true},
	}
	fit := func(now time.Time, n int, talk ...string) (forms []string) {
		for _, e := range expressions.Fit(now, all, talk, n) {
			forms = append(forms, e.Form)
		}
		return forms
	}
	assert.Equal(t, []string{"敲木鱼", "狠狠羡慕"}, fit(noon, 5, "我去敲木鱼", "我考上了！"))
	assert.Equal(t, []string{"敲木鱼"}, fit(noon, 1, "我去敲木鱼", "我考上了！"))
	assert.Equal(t, []string{"退朝"}, fit(noon, 5, "晚安"))
	assert.Empty(t, fit(noon, 5, "下午开会"))
	assert.Equal(t, []string{"星巴克"}, fit(noon, 5, "阿飞买奶茶去了星巴克"))
	assert.Empty(t, fit(noon, 5, "hourly"))
	assert.Equal(t, []string{"hour"}, fit(noon, 5, "Happy Hour"))
	assert.Empty(t, fit(noon.AddDate(0, 0, 90), 5, "晚安", "我去敲木鱼"))
}
