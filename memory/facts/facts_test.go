package facts_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/memory/memorytest"
)

const group memory.Space = "qq:group:1"

// A chat is a space with facts over a store in memory.
type chat struct {
	*testing.T
	store *memory.MemStore
	mem   *memory.Memory
	facts *facts.Facts
	n     int
}

func newChat(t *testing.T) *chat {
	c := &chat{T: t, store: memory.NewMemStore()}
	c.restart()
	return c
}

// restart opens the store again.
func (c *chat) restart() {
	c.mem = memorytest.New(c, c.store, memory.Options{})
	c.facts = facts.New(c.mem, c.store, group)
}

// put stores a message. Messages come a minute apart.
func (c *chat) put(person, name, text string) memory.Record {
	c.n++
	r := memory.Record{ID: fmt.Sprint("m", c.n), Space: group, Kind: memory.KindMessage, Person: person, Name: name, Text: text, At: at(1).Add(time.Duration(c.n) * time.Minute)}
	require.NoError(c, c.mem.Put(c.Context(), r))
	return r
}

// say stores a message and learns from it.
func (c *chat) say(person, name, text string) (id string) {
	r := c.put(person, name, text)
	_, err := c.facts.Learn(c.Context(), r)
	require.NoError(c, err)
	return r.ID
}

// known returns what holds now, in short.
func (c *chat) known(person string) (values []string) {
	all, err := c.facts.At(c.Context(), at(10), person)
	require.NoError(c, err)
	for _, f := range all {
		values = append(values, f.Value)
	}
	return values
}

// claims returns the claims in the store.
func (c *chat) claims() (recs []memory.Record) {
	for r, err := range c.store.Scan(c.Context(), group, 0) {
		require.NoError(c, err)
		if r.Kind == memory.KindClaim {
			recs = append(recs, r)
		}
	}
	return recs
}

func TestFacts_Learn(t *testing.T) {
	c := newChat(t)
	c.say(wang, "小王", "大家好")
	id := c.say(me, "小满", "听说小王搬到成都了")
	recs := c.claims()
	require.Len(t, recs, 1)
	r := recs[0]
	assert.Equal(t, []string{id}, r.Sources)
	assert.Equal(t, wang, r.Person)
	assert.Contains(t, r.Tags, "from:"+me, "the author, for erasure")
	assert.Equal(t, memory.Untrusted(group), r.LabelOrDefault())
	assert.Equal(t, []string{"成都"}, c.known(wang))
	hits, err := c.mem.Reader(group).Recall(t.Context(), at(2), memory.Query{Text: "成都"})
	require.NoError(t, err)
	require.NotEmpty(t, hits)
	assert.Equal(t, id, hits[0].ID)
	for _, h := range hits {
		assert.Equal(t, memory.KindMessage, h.Kind, "claims are not found by words")
	}

	c.say(wang, "小王", "我搬到北京了")
	assert.Equal(t, []string{"北京"}, c.known(wang))
	h, err := c.facts.History(t.Context(), at(9), wang, facts.Place)
	require.NoError(t, err)
	assert.Len(t, h, 2)
	assert.Equal(t, wang, c.facts.Meant("小王"))
	assert.Equal(t, []string{wang}, c.facts.Named("问问小王"))
}

func TestFacts_IgnoresBotAndTakenBack(t *testing.T) {
	c := newChat(t)
	r := c.put("1", "小炉", "我搬到成都了")
	r.Own = true
	_, err := c.facts.Learn(t.Context(), r)
	require.NoError(t, err)
	assert.Empty(t, c.claims())
	c.say(me, "小满", "我养了一只橘猫")
	c.say(wang, "小王", "骗你们的")
	assert.Equal(t, []string{"橘猫"}, c.known(me), "somebody else takes back something else")
	c.say(me, "小满", "我搬到北京了")
	c.say(me, "小满", "开玩笑的")
	assert.Equal(t, []string{"橘猫"}, c.known(me))
	assert.Len(t, c.claims(), 1)
	c.n += 10
	c.say(me, "小满", "骗你们的")
	assert.Equal(t, []string{"橘猫"}, c.known(me), "too late")
	c.say(me, "小满", "我不喜欢香菜了")
	assert.Len(t, c.claims(), 1, "nobody has said that it liked it")
}

// Deleting or hiding a message undoes what it said, and the earlier version holds again.
func TestFacts_DeletedMessage(t *testing.T) {
	for name, remove := range map[string]func(c *chat, id string) error{
		"delete": func(c *chat, id string) error { return c.mem.Delete(c.Context(), group, id) },
		"hide":   func(c *chat, id string) error { return c.mem.Hide(c.Context(), group, id) },
	} {
		t.Run(name, func(t *testing.T) {
			c := newChat(t)
			c.say(me, "小满", "我在腾讯上班")
			id := c.say(me, "小满", "我跳槽到华为了")
			assert.Equal(t, []string{"华为"}, c.known(me))
			require.NoError(t, remove(c, id))
			assert.Equal(t, []string{"腾讯"}, c.known(me))
			c.restart()
			assert.Equal(t, []string{"腾讯"}, c.known(me))
		})
	}
}

// A message that was deleted before it is read says nothing.
func TestFacts_MessageGoneBeforeLearn(t *testing.T) {
	c := newChat(t)
	r := c.put(me, "小满", "我在腾讯上班")
	require.NoError(t, c.mem.Delete(t.Context(), group, r.ID))
	n, err := c.facts.Learn(t.Context(), r)
	require.NoError(t, err)
	assert.Zero(t, n)
	assert.Empty(t, c.claims())
	assert.Empty(t, c.known(me))
}

func TestFacts_ErasePerson(t *testing.T) {
	c := newChat(t)
	c.say(wang, "小王", "我搬到成都了")
	c.say(me, "小满", "小王在腾讯上班")
	c.say(me, "小满", "我和小王在一起了")
	c.say(me, "小满", "我养了一只橘猫")
	c.say(wang, "小王", "小满住在武汉")
	require.Len(t, c.claims(), 5)
	_, err := c.mem.ErasePerson(t.Context(), wang, memory.EraseOptions{})
	require.NoError(t, err)
	left := c.claims()
	require.Len(t, left, 1, "about, by, and with the person")
	assert.Equal(t, "橘猫", left[0].Text)
	assert.Empty(t, c.known(wang))
	assert.Equal(t, []string{"橘猫"}, c.known(me))
}

func TestFacts_CatchUp(t *testing.T) {
	c := newChat(t)
	c.put(me, "小满", "我在腾讯上班")
	c.put(me, "小满", "早")
	n, err := c.facts.CatchUp(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	c.put(me, "小满", "我养了一只橘猫")
	n, err = c.facts.CatchUp(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, n)
	assert.Equal(t, []string{"腾讯", "橘猫"}, c.known(me))

	require.NoError(t, c.mem.Delete(t.Context(), group, c.claims()[0].ID), "the owner deletes what is wrong")
	c.put(me, "小满", "我搬到成都了")
	c.restart()
	n, err = c.facts.CatchUp(t.Context(), nil)
	require.NoError(t, err)
	assert.Equal(t, 1, n, "earlier messages are not read again")
	assert.Equal(t, []string{"成都", "橘猫"}, c.known(me))

	c.put(me, "小满", "我室友是老猫")
	n, err = c.facts.CatchUp(t.Context(), func(r memory.Record) memory.Record { r.Person = ""; return r })
	require.NoError(t, err)
	assert.Zero(t, n)
}

// What the owner says in a chat stays trusted.
func TestFacts_Label(t *testing.T) {
	c := newChat(t)
	r := memory.Record{ID: "o1", Space: group, Kind: memory.KindMessage, Person: me, Text: "我在腾讯上班", At: at(1), Label: memory.Trusted(group)}
	require.NoError(t, c.mem.Put(t.Context(), r))
	_, err := c.facts.Learn(t.Context(), r)
	require.NoError(t, err)
	all, err := c.facts.At(t.Context(), at(2), me)
	require.NoError(t, err)
	require.Len(t, all, 1)
	assert.Equal(t, memory.Untrusted(group), all[0].Label, "like all derived data of a chat")
}

// What a language model read stands beside what Learn read, is ordered by the time of its message, and goes with the message.
func TestFacts_Add(t *testing.T) {
	c := newChat(t)
	add := func(r memory.Record, claims ...facts.Claim) int {
		n, err := c.facts.Add(c.Context(), r, claims...)
		require.NoError(c, err)
		return n
	}
	c.say(me, "小满", "我在腾讯上班")
	left := c.put(me, "小满", "鹅厂的工牌还回去了")
	c.say(me, "小满", "我入职华为了")
	assert.Equal(t, []string{"华为"}, c.known(me))
	moved := c.put(wang, "小王", "成都的火锅以后天天吃")
	heard := c.put(me, "小满", "小王那只猫越来越胖")
	assert.Equal(t, 1, add(left, facts.Claim{Subject: me, Relation: facts.Job, Ends: true}))
	assert.Equal(t, 2, add(moved, facts.Claim{Subject: wang, Relation: facts.Place, Value: "“成都”"}, facts.Claim{Subject: wang, Relation: facts.Birthday, Value: "2001年三月5号"}))
	assert.Equal(t, 1, add(heard, facts.Claim{Subject: wang, Relation: facts.Pet, Value: "猫"}))
	assert.Equal(t, []string{"成都", "猫", "3月5日"}, c.known(wang))
	history, err := c.facts.History(t.Context(), at(10), me, facts.Job)
	require.NoError(t, err)
	require.Len(t, history, 2)
	assert.Equal(t, left.At, history[0].Until, "it ended before the next one began")

	read := c.put(me, "小满", "我搬到北京了")
	_, err = c.facts.Learn(t.Context(), read)
	require.NoError(t, err)
	for name, bad := range map[string]facts.Claim{
		"relation": {Subject: me, Relation: "secret", Value: "x"}, "value": {Subject: me, Relation: facts.Pet, Value: " ！"},
		"long": {Subject: me, Relation: facts.Pet, Value: strings.Repeat("猫", 25)}, "birthday": {Subject: me, Relation: facts.Birthday, Value: "春天"}, "empty birthday": {Subject: me, Relation: facts.Birthday, Value: " ！"}, "half a day": {Subject: me, Relation: facts.Birthday, Value: "13月5日"},
		"nobody": {Relation: facts.Pet, Value: "猫"}, "ends nothing": {Subject: me, Relation: facts.Pet, Value: "狗", Ends: true},
		"read by Learn": {Subject: me, Relation: facts.Place, Value: "南京"}, "a name by others": {Subject: wang, Relation: facts.Alias, Value: "胖子"},
	} {
		assert.Zero(t, add(read, bad), name)
	}
	own := c.put("9", "小炉", "我养了猫")
	own.Own = true
	assert.Zero(t, add(own, facts.Claim{Subject: me, Relation: facts.Pet, Value: "猫"}), "the bot's")
	many := make([]facts.Claim, 20)
	for i := range many {
		many[i] = facts.Claim{Subject: me, Relation: facts.Likes, Value: fmt.Sprint("第", i)}
	}
	assert.Equal(t, 8, add(read, many...))

	before := c.claims()
	assert.Equal(t, 2, add(moved, facts.Claim{Subject: wang, Relation: facts.Place, Value: "成都"}, facts.Claim{Subject: wang, Relation: facts.Birthday, Value: "3月5日"}))
	assert.Len(t, c.claims(), len(before), "again replaces")
	c.restart()
	assert.Equal(t, []string{"成都", "猫", "3月5日"}, c.known(wang))
	require.NoError(t, c.mem.Delete(t.Context(), group, moved.ID))
	assert.Equal(t, []string{"猫"}, c.known(wang))
	assert.Zero(t, add(moved, facts.Claim{Subject: wang, Relation: facts.Place, Value: "成都"}), "a deleted message says nothing")
}

// What somebody repeats is stored once a day, and again if something else was said in between.
func TestFacts_Repeats(t *testing.T) {
	c := newChat(t)
	stored := func() (n int) {
		for r, err := range c.store.Scan(t.Context(), group, 0) {
			require.NoError(t, err)
			if r.Kind != memory.KindMessage {
				n++
			}
		}
		return n
	}
	for range 100 {
		c.say("1", "小王", "我喜欢猫")
	}
	assert.Equal(t, 1, stored())
	c.say("2", "小李", "我喜欢猫")
	c.say("1", "小王", "我不喜欢猫了")
	c.say("1", "小王", "我喜欢猫")
	assert.Equal(t, 4, stored(), "by somebody else, its end, and anew")
	c.n += 24 * 60
	c.say("1", "小王", "我喜欢猫")
	assert.Equal(t, 5, stored(), "a day later")
	for range 3 {
		c.say("1", "小王", "我在腾讯上班")
		c.say("1", "小王", "我在字节上班")
	}
	assert.Equal(t, 11, stored(), "each is a change")
}
