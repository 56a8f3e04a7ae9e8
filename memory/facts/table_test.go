package facts_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/memory/facts"
)

// at returns noon of a day of March 2026; later days are in later months.
func at(day int) time.Time { return time.Date(2026, 3, day, 12, 0, 0, 0, time.UTC) }

// A book is a table filled by a test.
type book struct {
	facts.Table
	n int
}

// say adds a claim: "-" before the value ends it.
func (b *book) say(day int, speaker, subject string, r facts.Relation, value string) (id string) {
	b.n++
	value, ends := strings.CutPrefix(value, "-")
	c := facts.Claim{Subject: subject, Relation: r, Value: value, Ends: ends, Speaker: speaker, At: at(day), ID: fmt.Sprint("c", b.n), Source: fmt.Sprint("m", b.n)}
	b.Add(c)
	return c.ID
}

// on returns what holds on a day, in short: the speaker is shown unless it is the person, and ! marks a dispute.
func (b *book) on(day int, subject string) string {
	var all []string
	for _, f := range b.At(at(day), subject) {
		one := f.Value
		if !f.Own() {
			one += "@" + f.Speaker
		}
		if f.Disputed {
			one += "!"
		}
		all = append(all, one)
	}
	return strings.Join(all, " ")
}

func TestTable_LaterClaimEndsEarlier(t *testing.T) {
	var b book
	b.say(2, "a", "a", facts.Job, "老师")
	b.say(10, "a", "a", facts.Job, "程序员")
	b.say(11, "a", "a", facts.Job, "程序员")
	b.say(20, "a", "a", facts.Job, "-")
	assert.Equal(t, "", b.on(1, "a"))
	assert.Equal(t, "老师", b.on(9, "a"))
	assert.Equal(t, "程序员", b.on(10, "a"))
	assert.Equal(t, "程序员", b.on(19, "a"))
	assert.Equal(t, "", b.on(20, "a"))
	h := b.History(at(30), "a", facts.Job)
	require.Len(t, h, 2)
	assert.Equal(t, []time.Time{at(2), at(10), at(10), at(20)}, []time.Time{h[0].From, h[0].Until, h[1].From, h[1].Until})
	assert.Equal(t, []string{"m2", "m3"}, h[1].Sources, "a repeated claim adds its source")
}

func TestTable_ManyValuesEndByNegation(t *testing.T) {
	var b book
	b.say(2, "a", "a", facts.Likes, "香菜")
	b.say(3, "a", "a", facts.Likes, "桌游")
	b.say(4, "a", "a", facts.Pet, "橘猫")
	b.say(5, "a", "a", facts.Pet, "仓鼠")
	assert.Equal(t, "仓鼠 橘猫 桌游 香菜", b.on(6, "a"))
	b.say(7, "a", "a", facts.Likes, "-香菜")
	b.say(8, "a", "a", facts.Pet, "-")
	assert.Equal(t, "桌游", b.on(9, "a"))
	b.say(10, "a", "a", facts.Dislikes, "桌游")
	assert.Equal(t, "桌游", b.on(11, "a"))
	assert.Equal(t, facts.Dislikes, b.At(at(11), "a")[0].Relation, "who dislikes a thing no longer likes it")
	b.say(12, "a", "a", facts.Likes, "桌游")
	assert.Equal(t, facts.Likes, b.At(at(13), "a")[0].Relation)
}

func TestTable_OwnWordComesFirst(t *testing.T) {
	var b book
	b.say(2, "b", "a", facts.Place, "北京")
	assert.Equal(t, "北京@b", b.on(2, "a"), "a belief, with the speaker")
	b.say(3, "c", "a", facts.Place, "上海")
	assert.Equal(t, "上海@c! 北京@b!", b.on(3, "a"), "two beliefs contradict each other")
	b.say(4, "b", "a", facts.Place, "上海")
	assert.Equal(t, "上海@c", b.on(4, "a"), "they agree")
	b.say(5, "a", "a", facts.Place, "成都")
	assert.Equal(t, "成都", b.on(5, "a"), "the own word ends the dispute")
	b.say(6, "b", "a", facts.Place, "北京")
	assert.Equal(t, "成都! 北京@b!", b.on(6, "a"), "somebody contradicts it later")
	b.say(7, "a", "a", facts.Place, "成都")
	b.say(8, "a", "a", facts.Place, "-成都")
	assert.Equal(t, "", b.on(8, "a"), "the beliefs are older than the own word")
	b.say(9, "c", "a", facts.Place, "武汉")
	assert.Equal(t, "武汉@c", b.on(9, "a"))
	assert.Equal(t, "上海@c! 北京@b!", b.on(3, "a"), "what was believed then")
	b.say(10, "b", "a", facts.Place, "-")
	assert.Equal(t, "武汉@c", b.on(10, "a"), "nobody ends what another believes")
}

func TestTable_PlanLapses(t *testing.T) {
	var b book
	b.say(1, "a", "a", facts.Plan, "考研")
	assert.Equal(t, "考研", b.on(facts.PlanDays, "a"))
	assert.Equal(t, "", b.on(facts.PlanDays+3, "a"))
	b.say(40, "a", "a", facts.Plan, "考研")
	assert.Equal(t, "考研", b.on(facts.PlanDays+3, "a"), "repeated")
	b.say(50, "a", "a", facts.Plan, "-考研")
	assert.Equal(t, "", b.on(51, "a"))
}

// Removing a claim has the same effect as if nobody had said it, in any order of arrival.
func TestTable_RemoveAndOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var claims []facts.Claim
		for i := range 12 {
			r := []facts.Relation{facts.Job, facts.Likes, facts.Plan}[rng.IntN(3)]
			c := facts.Claim{Subject: "a", Relation: r, Value: []string{"甲乙", "丙丁", "戊己"}[rng.IntN(3)], Ends: rng.IntN(4) == 0, Speaker: []string{"a", "a", "b"}[rng.IntN(3)], At: at(i), ID: fmt.Sprint(i), Source: fmt.Sprint("m", i)}
			claims = append(claims, c)
		}
		var all, fewer facts.Table
		gone := map[string]bool{}
		for _, i := range rng.Perm(len(claims)) {
			all.Add(claims[i])
			if gone[claims[i].ID] = rng.IntN(3) == 0; !gone[claims[i].ID] {
				fewer.Add(claims[i])
			}
			all.At(at(20), "a") // fills the cache
		}
		all.Remove("a", func(c facts.Claim) bool { return gone[c.ID] })
		for day := range 20 {
			require.Equal(t, fewer.At(at(day), "a"), all.At(at(day), "a"))
		}
	}
}

func TestTable_Bounded(t *testing.T) {
	var b book
	for i := range 500 {
		b.say(1, "a", "a", facts.Likes, fmt.Sprint("第", i, "种"))
	}
	b.say(1, "a", "a", facts.Birthday, "3月5日")
	assert.Less(t, len(b.Claims("a")), 80)
	assert.Contains(t, b.on(2, "a"), "3月5日")
	assert.Contains(t, b.on(2, "a"), "第499种")
}

func TestFact_Text(t *testing.T) {
	nameOf := func(id string) string { return map[string]string{"b": "小王"}[id] }
	var b book
	b.say(5, "a", "a", facts.Job, "程序员")
	b.say(6, "b", "a", facts.Place, "北京")
	b.say(7, "c", "a", facts.Place, "上海")
	var lines []string
	for _, f := range b.At(at(8), "a") {
		lines = append(lines, f.Text(at(8), time.UTC, nameOf))
	}
	assert.Equal(t, []string{"工作 = 程序员（3月5日起，本人说）", "住处 = 上海（3月7日起，c说，说法不一）", "住处 = 北京（3月6日起，小王说，说法不一）"}, lines)
	b.say(9, "a", "a", facts.Job, "律师")
	f := b.History(at(9), "a", facts.Job)[0]
	assert.Equal(t, "工作 = 程序员（2026年3月5日到2026年3月9日，本人说）", f.Text(at(400), time.UTC, nameOf))
}

func TestNames(t *testing.T) {
	var n facts.Names
	n.Learn("1", "小王")
	n.Learn("2", "Ann")
	n.AddAlias("1", "老王头")
	assert.Equal(t, []string{"2", "1"}, n.Named("问问ann和老王头，小王也行"))
	assert.Empty(t, n.Named("Annabel 来了"), "inside a word")
	n.Learn("3", "小王")
	assert.Empty(t, n.Meant("小王"), "two people have it")
	assert.Equal(t, "1", n.Meant("老王头"))
	n.Learn("1", "王哥")
	assert.Equal(t, "王哥", n.Of("1"))
	n.Forget(func(id string) bool { return id == "1" })
	assert.Empty(t, n.Meant("王哥"))
	assert.Empty(t, n.Of("1"))
	assert.Equal(t, "2", n.Meant("ANN"))
}
