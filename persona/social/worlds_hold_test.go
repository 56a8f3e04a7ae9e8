package social_test

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/heartflow"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/onebot/onebottest"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// hold checks what must hold in every world, after it.
func (w *world) hold() {
	w.mu.Lock()
	defer w.mu.Unlock()
	acted := w.saidOnce()
	w.answeredOnce(acted)
	for _, p := range w.places {
		w.journaled(p)
		w.capped(p)
	}
	w.forgotten()
	w.apart()
	w.settled()
	w.counted()
	if !w.faults && !w.flow {
		w.answered(acted)
	}
	for _, n := range w.last {
		if w.flow {
			break
		}
		if l := w.lines[n]; l.calls && !slices.ContainsFunc(w.convs, func(c *conv) bool { return acted[c] && slices.Contains(c.batch, n) }) {
			w.bad("in the end nobody answers in %v", l.place.chat)
		}
	}
}

// number is that of a text's token; 0: it has none.
func number(text string) int {
	k := tokens.FindStringSubmatch(text)
	if k == nil {
		return 0
	}
	n, _ := strconv.Atoi(k[2])
	return n
}

// saidOnce: no send appears twice and no effect runs twice for an errand. It gives the conversations that acted.
func (w *world) saidOnce() map[*conv]bool {
	acted, said, ran := map[*conv]bool{}, map[int]bool{}, map[string]bool{}
	for _, s := range w.qq.Sent() {
		n := number(s.Message.Text())
		if said[n] {
			w.bad("%q was sent twice", s.Message.Text())
		}
		said[n] = true
		c := w.minted[n]
		if c == nil || c.place.chat != s.Chat {
			w.bad("%q was sent to %v", s.Message.Text(), s.Chat)
			continue
		}
		acted[c] = true
	}
	for _, a := range w.acts {
		if ran[a.turn] {
			w.bad("an effect ran twice in %s", a.turn)
		}
		ran[a.turn] = true
		acted[a.conv] = true
	}
	return acted
}

// answeredOnce: of all conversations about a message one acts at most.
func (w *world) answeredOnce(acted map[*conv]bool) {
	by := map[int]*conv{}
	for _, c := range w.convs {
		if !acted[c] {
			continue
		}
		for _, n := range c.batch {
			if by[n] != nil {
				w.bad("%s was answered twice: at %v and at %v", token(c.place, n), clock(by[n].began), clock(c.began))
			}
			by[n] = c
		}
	}
}

// journaled: what was heard, and what the platform still tells, is in the journal exactly once.
func (w *world) journaled(p *place) {
	times := map[int]int{}
	for r, err := range w.store.Scan(w.Context(), p.space(), 0) {
		if err != nil {
			w.bad("%v", err)
		}
		if r.Kind != memory.KindMessage {
			continue
		}
		times[number(r.Text)]++
	}
	for n, many := range times {
		l, c := w.lines[n], w.minted[n]
		switch {
		case many > 1:
			w.bad("%s is in the journal %d times", token(p, n), many)
		case l != nil && l.place != p, c != nil && c.place != p, l == nil && c == nil:
			w.bad("the journal of %v holds %d", p.chat, n)
		case l != nil && l.goneSure:
			w.bad("%s was taken back at %v and is in the journal", token(p, n), clock(l.gone))
		}
	}
	if p.off {
		if len(times) > 0 {
			w.bad("what was said in %v is kept, and it is off", p.chat)
		}
		return
	}
	for _, l := range w.order {
		if l.place == p && l.sure && l.gone.IsZero() && times[l.n] == 0 {
			w.bad("%s was heard at %v and is not in the journal", token(p, l.n), clock(l.at))
		}
	}
	if len(times) == 0 {
		return // a chat that is not known is not looked through
	}
	past := slices.DeleteFunc(w.qq.History(p.chat), func(s onebottest.ChatMessage) bool { return s.Retracted })
	for _, s := range past[max(0, len(past)-100):] {
		if n := number(s.Message.Text()); times[n] == 0 {
			w.bad("%s of %v is in the platform's history and not in the journal", token(p, n), clock(s.At))
		}
	}
}

// forgotten: what was taken back is in no later prompt, and what is known to be taken back is not kept.
func (w *world) forgotten() {
	for _, l := range w.order {
		for _, c := range slices.Concat(w.convs, w.asides) {
			if l.goneSure && c.began.After(l.gone.Add(100*time.Millisecond)) && c.shown[l.n] {
				i := strings.Index(c.human, token(l.place, l.n))
				w.bad("%s was taken back at %v and is in a prompt (%s) of %v: %s", token(l.place, l.n), clock(l.gone), c.task, clock(c.began), c.human[max(0, i-120):i])
			}
		}
	}
	for _, p := range w.places {
		key := "recalled/" + p.name.String()
		rows, err := w.store.Load(w.Context(), key)
		var gone []string
		if err == nil && rows[key] != nil {
			err = json.Unmarshal(rows[key], &gone)
		}
		if err != nil {
			w.bad("%v", err)
		}
		for r := range w.store.Scan(w.Context(), p.space(), 0) {
			if id, _, _ := strings.Cut(r.ID, "@"); slices.Contains(gone, id) {
				w.bad("%q is known to be taken back and in the journal", r.Text)
			}
		}
	}
}

// apart: what was made of a chat lies in its space and holds nothing of another, nor what is known to be taken back.
func (w *world) apart() {
	rows, err := w.store.Load(w.Context(), "memory/")
	if err != nil {
		w.bad("%v", err)
	}
	made := map[string]string{}
	for key, row := range rows {
		made[key] = string(row)
	}
	for _, p := range w.places {
		for r := range w.store.Scan(w.Context(), p.space(), 0) {
			if r.Kind != memory.KindMessage {
				made[string(p.space())+"/"+r.ID] = r.Text
			}
		}
	}
	for key, text := range made {
		for _, k := range tokens.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(k[2])
			no, _ := strconv.Atoi(k[1])
			if !strings.Contains(key, string(w.places[no].space())) {
				w.bad("%s holds %s of another chat", key, k[0])
			}
			if l := w.lines[n]; l != nil && l.goneSure {
				w.bad("%s holds %s, which was taken back", key, k[0])
			}
		}
	}
}

// capped: at most 6 messages in 5 minutes, 3 in a row, 2 in a row to other bots.
func (w *world) capped(p *place) {
	var sent []time.Time
	for _, s := range w.qq.Sent() {
		if s.Chat == p.chat {
			sent = append(sent, s.At)
		}
	}
	allowed, window := 6, 5*time.Minute
	if w.faults {
		window -= 100 * time.Millisecond // writes take their time
	}
	for i := range sent {
		n, killed := 0, 0
		for ; i+n < len(sent) && sent[i+n].Sub(sent[i]) < window; n++ {
		}
		for _, l := range w.lives {
			if l.wasKilled() && l.stopped.After(sent[i]) && l.stopped.Before(sent[i].Add(window)) {
				killed++
			}
		}
		if n > allowed+2*killed { // a kill forgets what was counted in the last 5 seconds
			w.bad("%d messages in 5 minutes from %v in %v", n, clock(sent[i]), p.chat)
			break
		}
	}
	if w.faults {
		return // what was heard late, and when, is not known here
	}
	row, toBots, toBot := 0, 0, false
	for _, s := range w.qq.History(p.chat) {
		l := w.lines[number(s.Message.Text())]
		switch {
		case l != nil && l.old: // context only
		case s.UserID >= robot && s.UserID != bot:
			row, toBot = 0, true
		case s.UserID != bot:
			row, toBots, toBot = 0, 0, false
		default:
			row++
			if toBot {
				toBots++
			}
			if row > 3 {
				w.bad("%d messages in a row at %v in %v", row, clock(s.At), p.chat)
			}
			if toBots > 2 {
				w.bad("%d messages in a row to bots at %v in %v", toBots, clock(s.At), p.chat)
			}
		}
	}
}

// settled: no errand stays open. What QQ refused is noted.
func (w *world) settled() {
	w.refused = map[int]bool{}
	rows, err := w.store.Load(w.Context(), "errand/")
	if err != nil {
		w.bad("%v", err)
	}
	for key, row := range rows {
		var e jobs.Job
		if err := json.Unmarshal(row, &e); err != nil || e.Status != jobs.Done {
			w.bad("%s is %v (%v)", key, e.Status, err)
		}
		for _, entry := range e.Outbox {
			if entry.Status == jobs.Failed {
				w.refused[number(entry.Text)] = true
			}
		}
	}
}

// counted: the counters of each life agree with each other, with the traces and with the world.
func (w *world) counted() {
	spoken, failed := int64(0), int64(0)
	for i, l := range w.lives {
		s := l.being.Stats()
		spoken, failed = spoken+s.Sent, failed+s.SendFailed
		count := func(kind heartflow.TraceKind, speak bool) (n int64) {
			for _, t := range l.traces {
				if t.Kind == kind && (t.Do != heartflow.Silent) == speak {
					n++
				}
			}
			return n
		}
		is := func(what string, got, want int64) {
			if got != want {
				w.bad("life %d: %s: %d, want %d: %+v", i, what, got, want, s)
			}
		}
		is("received", s.Received, s.OwnMessages+s.Duplicates+s.ChatOff+s.Failed+int64(l.store.heard))
		is("model calls", s.ModelCalls, int64(l.calls))
		is("calls in the background", s.BackgroundCalls, int64(l.asides))
		is("silent", s.SilentBatches, count(heartflow.KindJudge, false))
		is("refused", s.ReplyRejected, count(heartflow.KindSpeak, false))
		is("lost", s.LinkOverflow, 0)
		failed := int64(0)
		for _, t := range l.traces {
			if t.Kind == heartflow.KindSkip && slices.Contains(t.Why, heartflow.WhyModelError) {
				failed++
			}
		}
		is("model failed", s.ModelFailed, failed)
		permitted := count(heartflow.KindSpeak, true)
		if unwritten := permitted - s.Sent - s.SendFailed; unwritten < 0 || unwritten > 0 && !w.stops {
			w.bad("life %d: %d permitted: %+v", i, permitted, s)
		}
		if asked := count(heartflow.KindJudge, true); s.Turns > asked || s.Turns < int64(l.convs) || s.Turns < asked && !w.stops {
			w.bad("life %d: %d judged to ask, %d conversations: %+v", i, asked, l.convs, s)
		}
		if s.Tokens < int64(l.calls) {
			w.bad("life %d: tokens: %+v", i, s)
		}
	}
	if sent := int64(len(w.qq.Sent())); spoken > sent || spoken+failed < sent {
		w.bad("%d spoken, %d failed, %d sent", spoken, failed, sent)
	}
}

// answered: in a world without faults a call that got no answer has a trace that tells why.
func (w *world) answered(acted map[*conv]bool) {
	for _, l := range w.order {
		if !l.calls || l.old || l.place.off || !l.gone.IsZero() || w.tooLate(l) {
			continue
		}
		from, done := l.at, false
		for _, c := range w.convs {
			if slices.Contains(c.batch, l.n) {
				from, done = c.began, done || acted[c]
			}
		}
		if !done && !w.explained(l, from) {
			w.bad("%s of %v in %v was not answered, and nothing tells why", token(l.place, l.n), clock(l.at), l.place.chat)
		}
	}
}

// tooLate: the bot was away until the call was, or nearly was, too old.
func (w *world) tooLate(l *line) bool {
	for _, life := range w.lives {
		if after := life.began.Sub(l.at); after > maxAge-5*time.Second && after < downLong+2*maxAge {
			return true
		}
	}
	return false
}

func (w *world) explained(l *line, from time.Time) bool {
	return slices.ContainsFunc(w.traces, func(t heartflow.Trace) bool {
		if t.Chat != l.place.name.String() || t.At.Before(from) || t.At.Sub(from) > 4*time.Minute {
			return false
		}
		switch t.Kind {
		case heartflow.KindJudge:
			return t.Do == heartflow.Silent && !slices.Contains(t.Why, heartflow.WhyNotCalled)
		case heartflow.KindSpeak:
			return t.Do == heartflow.Silent
		case heartflow.KindSkip:
			return slices.Contains(t.Why, heartflow.WhyModelSilent) || slices.Contains(t.Why, heartflow.WhyModelError)
		}
		return false
	}) || w.unsent(l)
}

// unsent: the answer was written down, and QQ refused it, or the owner was told that it may not have arrived.
func (w *world) unsent(l *line) bool {
	for n, c := range w.minted {
		if !slices.Contains(c.batch, l.n) {
			continue
		}
		if w.refused[n] || slices.ContainsFunc(w.told, func(text string) bool { return number(text) == n }) {
			return true
		}
	}
	return false
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

var _ memory.Tailer = (*mortal)(nil)
