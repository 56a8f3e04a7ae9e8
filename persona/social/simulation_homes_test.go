package social_test

import (
	"fmt"
	"strconv"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbot"
	"github.com/hearth-bot/hearth/persona/social/qqbotlink/qqbottest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestSimulations_TwoHomes is TestSimulations with a bot that also lives on the official QQ bot API. Ids of groups and people,
// and names of people, are the same there. Nothing that is said on one platform is known on the other.
func TestSimulations_TwoHomes(t *testing.T) {
	runSimulations(t, 80, 8, func(t *testing.T, seed uint64) {
		s := newSimulation(t, seed)
		s.addOfficial()
		s.play()
		said := map[string]int{}
		for _, m := range s.sent() {
			said[m.chat.name.Platform]++
		}
		assert.Positive(t, said["qq"])
		assert.Positive(t, said["qqbot"])
		if seed == 0 { // a positive control
			here, there := s.chats[0], s.chats[len(s.chats)-1]
			require.Equal(t, "qq", here.name.Platform)
			require.Equal(t, "qqbot", there.name.Platform)
			require.NoError(t, s.store.Put(t.Context(), memory.Record{ID: "leak", Space: there.space(), Kind: memory.KindFact, Text: token(here, here.first), At: time.Now()}))
			require.Empty(t, s.violations)
			s.checkSpaces()
			assert.Len(t, s.violations, 1)
		}
	})
}

// addOfficial adds groups and a private chat on the official platform.
func (s *simulation) addOfficial() {
	s.official = qqbottest.New(qqbottest.Options{Username: "小炉"})
	for i := range 2 {
		g := s.official.Group(fmt.Sprint(1 + i)).SetMode(qqbottest.Mode(s.rng.IntN(3))).AllowProactive(s.rng.IntN(2) == 0)
		c := &simChat{people: []int64{alice, bob, 1003, robot}, officialGroup: g, name: persona.Chat{Platform: "qqbot", Kind: persona.Group, ID: fmt.Sprint(1 + i)}}
		members := map[int64]*qqbottest.Member{}
		for _, who := range c.people {
			members[who] = g.Member(fmt.Sprint(who), fmt.Sprintf("人%d", who))
		}
		members[robot].AsBot()
		c.say = func(from int64, m onebot.Message) int64 { return delivered(members[from].Post(post(m, members))) }
		s.addChat(c)
	}
	u := s.official.User(fmt.Sprint(alice))
	s.addChat(&simChat{
		people: []int64{alice}, say: func(_ int64, m onebot.Message) int64 { return delivered(u.Post(post(m, nil))) },
		name: persona.Chat{Platform: "qqbot", Kind: persona.Private, ID: fmt.Sprint(alice)},
	})
}

// post converts a message of text and mentions.
func post(m onebot.Message, members map[int64]*qqbottest.Member) (p qqbottest.Post) {
	for _, segment := range m {
		switch who, err := strconv.ParseInt(segment.Param("qq"), 10, 64); {
		case segment.Type == "text":
			p.Text += segment.Param("text")
		case segment.Type != "at" || err != nil || members == nil:
		case who == botID:
			p.At = true
		default:
			p.Mentions = append(p.Mentions, members[who])
		}
	}
	return p
}

// delivered returns 0 for a message that the bot has no right to get.
func delivered(said qqbottest.Said) (id int64) {
	if said.EventID != "" {
		id = 1
	}
	return id
}

// link returns the link to all platforms.
func (s *simulation) link(onebot social.Link) social.Link {
	if s.official == nil {
		return onebot
	}
	return social.Links(onebot, qqbotlink.New(s.official.Client(qqbot.Options{}), qqbotlink.Options{ResendUnclear: s.seed%3 == 0}))
}

// A simSent is a message that a platform accepted from the bot.
type simSent struct {
	chat *simChat // nil: unknown
	text string
	at   time.Time
}

// sent returns the bot's messages on each platform, oldest first.
func (s *simulation) sent() (all []simSent) {
	for _, m := range s.qq.Sent() {
		one := simSent{text: m.Message.Text(), at: m.At}
		for _, c := range s.chats {
			if !c.isOfficial() && c.chat == m.Chat {
				one.chat = c
			}
		}
		all = append(all, one)
	}
	if s.official == nil {
		return all
	}
	for _, m := range s.official.Sent() {
		one := simSent{text: m.Text, at: m.Time}
		for _, c := range s.chats {
			if c.isOfficial() && c.name.ID == m.Chat.ID && (c.name.Kind == persona.Group) == m.Chat.Group {
				one.chat = c
			}
		}
		all = append(all, one)
	}
	return all
}

// officialFault disturbs the official platform for a while.
func (s *simulation) officialFault() {
	lasts, times := s.upTo(90*time.Second), 1+s.rng.IntN(3)
	switch s.rng.IntN(7) {
	case 0:
		s.official.ReplayDelivered(s.rng.IntN(30))
		s.drop()
	case 1: // what comes until the bot is back is lost
		s.disturb()
		s.official.KillSessions()
		s.official.DropLinks()
	case 2:
		s.official.RefuseLinks(true)
		s.drop()
		s.later(lasts, func() { s.official.RefuseLinks(false) })
	case 3:
		s.official.Cut(qqbottest.Messages, qqbottest.After, times)
	case 4:
		s.official.Cut(qqbottest.Messages, qqbottest.Before, times)
	case 5:
		s.official.Delay(qqbottest.Messages, s.upTo(45*time.Second))
		s.later(lasts, func() { s.official.Delay(qqbottest.Messages, 0) })
	case 6:
		s.official.Fail(qqbottest.Messages, 500, 50055001, times)
	}
}

// healOfficial ends all faults.
func (s *simulation) healOfficial() {
	s.official.RefuseLinks(false)
	s.official.HalfOpen(false)
	s.official.Cut(qqbottest.Messages, qqbottest.Never, 0)
	s.official.Delay(qqbottest.Messages, 0)
	s.official.Fail(qqbottest.Messages, 0, 0, 0)
}

// switchOn switches the bot's messages on in all official groups. The bot has to be there to learn it.
func (s *simulation) switchOn() {
	for _, c := range s.chats {
		if c.officialGroup != nil {
			c.officialGroup.Receive(fmt.Sprint(alice))
		}
	}
}

// switchOff switches the bot's messages in an official group off for a while.
func (s *simulation) switchOff(c *simChat) {
	now := time.Now()
	if now.Before(c.muted) {
		return
	}
	d := s.upTo(6 * time.Minute)
	c.muted = now.Add(d)
	c.officialGroup.Reject(fmt.Sprint(alice))
	s.later(d, func() { c.officialGroup.Receive(fmt.Sprint(alice)) })
}
