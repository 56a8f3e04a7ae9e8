package main

import (
	"fmt"
	"time"

	"github.com/hearth-bot/hearth/heartflow/feedback"
)

// rate rates what the recorded bot said in groups by what people wrote after it, as a live bot does. The ratings are by the
// position of the message. Reactions are not in them, because the log has no list of the faces that say no.
func rate(all []input) map[int]feedback.Rating[string] {
	t, _ := feedback.New[string](feedback.Options{}) // the defaults are valid
	last := map[string]*input{}                      // the last message of others in each chat
	position := map[string]int{}                     // by the ID in the tracker
	ids := map[string]string{}                       // IDs in the tracker, by chat and message ID
	ratings := map[int]feedback.Rating[string]{}
	collect := func(at time.Time) {
		for _, r := range t.Due(at) {
			if len(r.Signals) > 0 {
				ratings[position[r.ID]] = r
			}
		}
	}
	for n := range all {
		a := &all[n]
		m := &a.Message
		collect(a.At)
		switch {
		case isOwn(a) && !m.Private:
			id := fmt.Sprint("own ", n)
			position[id], ids[a.Chat+" "+m.ID] = n, id
			s := feedback.Said{ID: id}
			if to := last[a.Chat]; to != nil {
				s.To, s.Called = to.Message.From, to.Message.AtMe || to.Message.ReplyToMe
			}
			t.Said(a.At, a.Chat, s)
		case a.Muted && !a.Until.IsZero():
			t.Muted(a.At, a.Chat)
		case a.Act || a.Retracted != "" || a.Muted || m.Private || m.Own:
		default:
			quoted := ids[a.Chat+" "+m.QuoteID]
			toMe := m.AtMe || m.ReplyToMe || m.QuoteID != "" && quoted != ""
			f := feedback.Message{From: m.From, Text: m.Text, ToMe: toMe, ToOthers: !toMe && (m.QuoteID != "" || len(m.Addressees) > 0), FromBot: m.FromBot}
			if m.QuoteID != "" {
				f.QuoteID = quoted
			}
			t.Observe(a.At, a.Chat, f)
			last[a.Chat] = a
		}
	}
	if len(all) > 0 {
		collect(all[len(all)-1].At.Add(24 * time.Hour))
	}
	return ratings
}
