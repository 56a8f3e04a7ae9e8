package groupchat

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/hearth-bot/hearth/memory"
)

// Options choose a chat. Seed and Phrasings are enough.
type Options struct {
	Seed      uint64
	Phrasings *Phrasings // one of [Tuning] or [Unseen]
	English   bool       // in English instead of Chinese
	Groups    int        // 0 means 3
	People    int        // 0 means 24, or 6 in English
	Days      int        // 0 means 150
	Messages  int        // 0 means 10,000
}

// Start is the beginning of every chat.
var Start = time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)

// A Chat is a set of group chats with questions.
type Chat struct {
	Records   []memory.Record // in order of time
	Questions []Question
	End       time.Time // the time of the questions about now
}

// New generates a chat. Equal options make equal chats.
func New(o Options) Chat {
	w := newWorld(o)
	for _, m := range w.members {
		w.live(m)
	}
	for _, m := range w.members {
		w.seem(m)
	}
	for len(w.said) < w.Messages {
		g := w.rng.IntN(w.Groups)
		w.said = append(w.said, statement{at: w.day(w.rng.IntN(w.Days)), group: g, speaker: w.other(g), text: w.text("noise")})
	}
	slices.SortStableFunc(w.said, func(a, b statement) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.group, b.group)) })
	chat := Chat{End: Start.AddDate(0, 0, w.Days)}
	for i, s := range w.said {
		chat.Records = append(chat.Records, s.record(fmt.Sprint("m", i)))
	}
	chat.Questions = w.questions(chat.End)
	return chat
}

func newWorld(o Options) *world {
	o.Groups, o.Days, o.Messages = cmp.Or(o.Groups, 3), cmp.Or(o.Days, 150), cmp.Or(o.Messages, 10_000)
	w := &world{Options: o, voice: voice{Phrasings: o.Phrasings, rng: rand.New(rand.NewPCG(o.Seed, 31))}}
	people := 24
	if o.English {
		w.prefix, people = "en.", 6
	}
	w.People = cmp.Or(o.People, people)
	names := slices.Clone(w.values[w.prefix+"name"])
	w.rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for i := range w.People {
		m := &member{id: fmt.Sprint(10001 + i), name: names[i%len(names)], groups: []int{i % w.Groups}}
		if i >= len(names) { // names are unique in the whole chat
			m.name += string(rune('A' + i/len(names) - 1))
		}
		if w.Groups > 1 && i%3 == 0 {
			m.groups = append(m.groups, (m.groups[0]+1)%w.Groups)
		}
		w.members = append(w.members, m)
	}
	return w
}

func (s *statement) record(id string) memory.Record {
	return memory.Record{
		ID: id, Space: space(s.group), Kind: memory.KindMessage, Person: s.speaker.id, Name: s.speaker.name, Text: s.text, At: s.at, Own: s.speaker == bot,
	}
}
