// Package synthetic writes Chinese group chats with known answers, for training and for measuring. There is no real Chinese group
// chat with marked answers that may be used. How people there ask, answer and joke is a guess; that they mention nobody as a rule
// is what they are for.
package synthetic

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A Line is one message.
type Line struct {
	At      time.Time
	From    string
	Text    string
	To      string // the mentioned person; empty: none
	Answers int    // index of the answered line; -1: none
}

// A Shape describes a group. Its numbers are at least 1.
type Shape struct {
	Members int
	Days    int
	Scenes  int // a day
	Mention int // one in so many questions mentions somebody
	Aside   int // somebody else writes between two lines, once in so many cases
	Slow    int // factor of all pauses
	Overlap int // one in so many scenes begins while the one before goes on; 0: none
}

// Usual is the shape by which the policies are compared.
var Usual = Shape{Members: 8, Days: 4, Scenes: 40, Mention: 2, Aside: 3, Slow: 1}

// Chat writes a group chat. The same arguments give the same chat.
func Chat(p Phrases, s Shape, seed uint64, began time.Time) []Line {
	g := &group{Phrases: p, shape: s, dice: rand.New(rand.NewPCG(seed, 11))}
	for day := range s.Days {
		g.at = began.AddDate(0, 0, day)
		for range s.Scenes {
			from := g.at
			if g.chance(2) {
				g.help()
			} else {
				g.talk()
			}
			if s.Overlap > 0 && g.chance(s.Overlap) {
				g.at = from.Add(g.at.Sub(from) / 3)
			}
		}
	}
	return inOrder(g.lines)
}

// inOrder sorts lines by time.
func inOrder(lines []Line) []Line {
	order := make([]int, len(lines))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return lines[a].At.Compare(lines[b].At) })
	place := make([]int, len(lines))
	for i, was := range order {
		place[was] = i
	}
	sorted := make([]Line, 0, len(lines))
	for _, was := range order {
		l := lines[was]
		if l.Answers >= 0 {
			l.Answers = place[l.Answers]
		}
		sorted = append(sorted, l)
	}
	return sorted
}

type group struct {
	Phrases
	shape Shape
	dice  *rand.Rand
	at    time.Time
	lines []Line
}

// write adds a message that answers another one, or -1. to is the mentioned person, or "".
func (g *group) write(from, text, to string, answers, wait int) int {
	if to != "" {
		text = "@" + to + " " + text
	}
	g.at = g.at.Add(time.Duration((wait+g.dice.IntN(wait+1))*g.shape.Slow) * time.Second)
	g.lines = append(g.lines, Line{At: g.at, From: from, Text: text, To: to, Answers: answers})
	return len(g.lines) - 1
}

func (g *group) pick(list []string) string { return list[g.dice.IntN(len(list))] }

func (g *group) member(not ...string) string {
	for {
		who := fmt.Sprint(31001 + g.dice.IntN(g.shape.Members))
		if !slices.Contains(not, who) {
			return who
		}
	}
}

// chance reports true in one of n cases.
func (g *group) chance(n int) bool { return g.dice.IntN(n) == 0 }

// aside lets somebody else write between two lines, sometimes.
func (g *group) aside(not ...string) {
	if g.chance(g.shape.Aside) {
		g.write(g.member(not...), g.pick([][]string{g.Statements, g.Laughs}[g.dice.IntN(2)]), "", -1, 8)
	}
}

// help is a question to all or to one person, with what follows.
func (g *group) help() {
	asker := g.member()
	helper, to := g.member(asker), ""
	if g.chance(g.shape.Mention) {
		to = helper
	}
	last := g.write(asker, g.pick(g.Questions), to, -1, 120)
	if g.chance(6) {
		return // nobody answers
	}
	g.aside(asker, helper)
	if g.chance(3) {
		last = g.write(helper, g.pick(g.BackQuestions), "", last, 15)
		last = g.write(asker, g.pick(g.Confirmations), "", last, 10)
		g.aside(asker, helper)
	}
	last = g.write(helper, g.pick(g.Replies), "", last, 15)
	for g.chance(2) {
		last = g.write(asker, g.pick(g.FollowUps), "", last, 15)
		g.aside(asker, helper)
		last = g.write(helper, g.pick(g.Replies), "", last, 15)
	}
	if !g.chance(3) {
		g.write(asker, g.pick(g.Thanks), "", last, 10)
	}
}

// talk is a talk of two people who mention nobody.
func (g *group) talk() {
	a := g.member()
	b := g.member(a)
	last, who := g.write(a, g.pick(g.Statements), "", -1, 150), b
	for range 1 + g.dice.IntN(5) {
		last = g.write(who, g.pick(g.Chats), "", last, 12)
		if g.chance(4) {
			g.aside(a, b)
		}
		if who == a {
			who = b
		} else {
			who = a
		}
	}
	if g.chance(2) {
		g.write(g.member(a, b), g.pick(g.Laughs), "", last, 10)
	}
}
