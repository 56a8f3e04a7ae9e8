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
	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// check checks the invariants of every simulation at its end.
func (s *simulation) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	acted := s.checkSentOnce()
	s.checkAnsweredOnce(acted)
	for _, c := range s.chats {
		s.checkJournal(c)
		s.checkLimits(c)
	}
	s.checkRetracted()
	s.checkSpaces()
	s.checkJobs()
	s.checkCounters()
	if !s.faults && !s.hfc {
		s.checkAnswers(acted)
	}
	for _, n := range s.finalMessages {
		if s.hfc {
			break
		}
		if m := s.lines[n]; m.calls && !slices.ContainsFunc(s.conversations, func(c *conversation) bool { return acted[c] && slices.Contains(c.batch, n) }) {
			s.fail("the final message in %v got no answer", m.chat.name)
		}
	}
}

// number returns the number of a text's token; 0: none.
func number(text string) int {
	k := tokens.FindStringSubmatch(text)
	if k == nil {
		return 0
	}
	n, _ := strconv.Atoi(k[2])
	return n
}

// checkSentOnce checks that no send and no side effect of a job happens twice. It returns the conversations with side
// effects.
func (w *simulation) checkSentOnce() map[*conversation]bool {
	acted, said, ran := map[*conversation]bool{}, map[int]bool{}, map[string]bool{}
	for _, s := range w.sent() {
		n := number(s.text)
		if said[n] {
			w.fail("%q was sent twice", s.text)
		}
		said[n] = true
		c := w.byToken[n]
		if c == nil || c.chat != s.chat {
			w.fail("%q was sent to %v", s.text, s.chat)
			continue
		}
		acted[c] = true
	}
	for _, a := range w.effects {
		if ran[a.turn] {
			w.fail("a side effect ran twice in %s", a.turn)
		}
		ran[a.turn] = true
		acted[a.conv] = true
	}
	return acted
}

// checkAnsweredOnce checks that at most one conversation about a message has side effects.
func (s *simulation) checkAnsweredOnce(acted map[*conversation]bool) {
	by := map[int]*conversation{}
	for _, c := range s.conversations {
		if !acted[c] {
			continue
		}
		for _, n := range c.batch {
			if by[n] != nil {
				s.fail("%s was answered twice: at %v and at %v", token(c.chat, n), clock(by[n].began), clock(c.began))
			}
			by[n] = c
		}
	}
}

// checkJournal checks that every received message, and every message still in the platform's history, is journaled
// exactly once.
func (w *simulation) checkJournal(p *simChat) {
	times := map[int]int{}
	for r, err := range w.store.Scan(w.Context(), p.space(), 0) {
		if err != nil {
			w.fail("%v", err)
		}
		if r.Kind != memory.KindMessage || strings.HasPrefix(r.ID, "act:") {
			continue
		}
		times[number(r.Text)]++
	}
	for n, many := range times {
		m, c := w.lines[n], w.byToken[n]
		switch {
		case many > 1:
			w.fail("%s is in the journal %d times", token(p, n), many)
		case m != nil && m.chat != p, c != nil && c.chat != p, m == nil && c == nil:
			w.fail("the journal of %v has the unknown token %d", p.name, n)
		case m != nil && m.retractSure:
			w.fail("%s was retracted at %v and is in the journal", token(p, n), clock(m.retractedAt))
		}
	}
	if p.off {
		if len(times) > 0 {
			w.fail("messages of %v are stored, and the chat is off", p.name)
		}
		return
	}
	for _, m := range w.order {
		if m.chat == p && m.sure && m.retractedAt.IsZero() && times[m.n] == 0 {
			w.fail("%s was received at %v and is not in the journal", token(p, m.n), clock(m.at))
		}
	}
	if len(times) == 0 || p.isOfficial() {
		return // the history of an unknown chat is not read
	}
	past := slices.DeleteFunc(w.qq.History(p.chat), func(s onebottest.ChatMessage) bool { return s.Retracted })
	for _, s := range past[max(0, len(past)-100):] {
		if n := number(s.Message.Text()); times[n] == 0 {
			w.fail("%s of %v is in the platform's history and not in the journal", token(p, n), clock(s.At))
		}
	}
}

// checkRetracted checks that retracted messages are in no later prompt and not stored.
func (s *simulation) checkRetracted() {
	for _, m := range s.order {
		for _, c := range slices.Concat(s.conversations, s.backgroundConvs) {
			if m.retractSure && c.began.After(m.retractedAt.Add(100*time.Millisecond)) && c.shown[m.n] {
				i := strings.Index(c.human, token(m.chat, m.n))
				s.fail("%s was retracted at %v and is in a prompt (%s) of %v: %s", token(m.chat, m.n), clock(m.retractedAt), c.task, clock(c.began), c.human[max(0, i-120):i])
			}
		}
	}
	for _, c := range s.chats {
		key := "recalled/" + c.name.String()
		rows, err := s.store.Load(s.Context(), key)
		var gone []string
		if err == nil && rows[key] != nil {
			err = json.Unmarshal(rows[key], &gone)
		}
		if err != nil {
			s.fail("%v", err)
		}
		for r := range s.store.Scan(s.Context(), c.space(), 0) {
			if id, _, _ := strings.Cut(r.ID, "@"); slices.Contains(gone, id) {
				s.fail("%q is in the journal after a known retraction", r.Text)
			}
		}
	}
}

// checkSpaces checks that data derived from a chat is in its space and contains nothing of other chats or of known
// retracted messages.
func (s *simulation) checkSpaces() {
	rows, err := s.store.Load(s.Context(), "memory/")
	if err != nil {
		s.fail("%v", err)
	}
	made := map[string]string{}
	for key, row := range rows {
		made[key] = string(row)
	}
	for _, c := range s.chats {
		for r := range s.store.Scan(s.Context(), c.space(), 0) {
			if r.Kind != memory.KindMessage {
				made[string(c.space())+"/"+r.ID] = r.Text
			}
		}
	}
	for key, text := range made {
		for _, k := range tokens.FindAllStringSubmatch(text, -1) {
			n, _ := strconv.Atoi(k[2])
			no, _ := strconv.Atoi(k[1])
			if !strings.Contains(key, string(s.chats[no].space())) {
				s.fail("%s contains %s of another chat", key, k[0])
			}
			if m := s.lines[n]; m != nil && m.retractSure {
				s.fail("%s contains the retracted %s", key, k[0])
			}
		}
	}
}

// checkLimits checks the limits: 20 replies, or 30 in a private chat, 6 interjections and one notice of a cap in 5 minutes, 3 consecutive ones, 2 consecutive ones to other bots.
func (w *simulation) checkLimits(c *simChat) {
	var sent []time.Time
	for _, s := range w.sent() {
		if s.chat == c {
			sent = append(sent, s.at)
		}
	}
	allowed, window := 20+6+1, 5*time.Minute
	if c.name.Kind == persona.Private {
		allowed += 10
	}
	if w.faults {
		window -= 100 * time.Millisecond // writes take time
	}
	for i := range sent {
		n, killed := 0, 0
		for ; i+n < len(sent) && sent[i+n].Sub(sent[i]) < window; n++ {
		}
		for _, r := range w.runs {
			if r.wasKilled() && r.stopped.After(sent[i]) && r.stopped.Before(sent[i].Add(window)) {
				killed++
			}
		}
		if n > allowed+2*killed { // a kill loses the counts of the last 5 seconds
			w.fail("%d messages in 5 minutes from %v in %v", n, clock(sent[i]), c.name)
			break
		}
	}
	if w.faults || c.isOfficial() {
		return // late messages and their times are not known here
	}
	row, toBots, toBot := 0, 0, false
	for _, s := range w.qq.History(c.chat) {
		m := w.lines[number(s.Message.Text())]
		switch {
		case m != nil && m.old: // context only
		case s.UserID >= robot && s.UserID != botID:
			row, toBot = 0, true
		case s.UserID != botID:
			row, toBots, toBot = 0, 0, false
		default:
			row++
			if toBot {
				toBots++
			}
			if row > 3 {
				w.fail("%d consecutive messages at %v in %v", row, clock(s.At), c.name)
			}
			if toBots > 2 {
				w.fail("%d consecutive messages to bots at %v in %v", toBots, clock(s.At), c.name)
			}
		}
	}
}

// checkJobs checks that no job stays open, and records sends that QQ refused.
func (s *simulation) checkJobs() {
	s.refused = map[int]bool{}
	rows, err := s.store.Load(s.Context(), "errand/")
	if err != nil {
		s.fail("%v", err)
	}
	for key, row := range rows {
		var e jobs.Job
		if err := json.Unmarshal(row, &e); err != nil || e.Status != jobs.Done {
			s.fail("%s is %v (%v)", key, e.Status, err)
		}
		for _, entry := range e.Outbox {
			if entry.Status == jobs.Failed {
				s.refused[number(entry.Text)] = true
			}
		}
	}
}

// checkCounters checks that the counters of each run agree with each other, the traces and the simulation.
func (w *simulation) checkCounters() {
	spoken, failed := int64(0), int64(0)
	for i, r := range w.runs {
		s := r.bot.Stats()
		spoken, failed = spoken+s.Sent, failed+s.SendFailed
		count := func(kind heartflow.TraceKind, speak bool) (n int64) {
			for _, t := range r.traces {
				if t.Kind == kind && (t.Do != heartflow.Silent) == speak {
					n++
				}
			}
			return n
		}
		is := func(what string, got, want int64) {
			if got != want {
				w.fail("run %d: %s: %d, want %d: %+v", i, what, got, want, s)
			}
		}
		is("received", s.Received, s.OwnMessages+s.Duplicates+s.ChatOff+s.Failed+int64(r.store.received))
		is("model calls", s.ModelCalls, int64(r.modelCalls))
		is("calls in the background", s.BackgroundCalls, int64(r.backgroundCalls))
		is("silent", s.SilentBatches, count(heartflow.KindJudge, false))
		is("refused", s.ReplyRejected, count(heartflow.KindSpeak, false))
		is("lost", s.LinkOverflow, 0)
		failed := int64(0)
		for _, t := range r.traces {
			if t.Kind == heartflow.KindSkip && slices.Contains(t.Why, heartflow.WhyModelError) {
				failed++
			}
		}
		is("model failed", s.ModelFailed, failed)
		permitted := count(heartflow.KindSpeak, true)
		if unwritten := permitted - s.Sent - s.SendFailed; unwritten < 0 || unwritten > 0 && !w.stops {
			w.fail("run %d: %d permitted: %+v", i, permitted, s)
		}
		if asked := count(heartflow.KindJudge, true); s.Turns > asked || s.Turns < int64(r.conversations) || s.Turns < asked && !w.stops {
			w.fail("run %d: %d judged to ask, %d conversations: %+v", i, asked, r.conversations, s)
		}
		if s.Tokens < int64(r.modelCalls) {
			w.fail("run %d: tokens: %+v", i, s)
		}
	}
	if sent := int64(len(w.sent())); spoken > sent || spoken+failed < sent {
		w.fail("%d spoken, %d failed, %d sent", spoken, failed, sent)
	}
}

// checkAnswers checks, without faults, that every unanswered message to the bot has a trace with the reason.
func (s *simulation) checkAnswers(acted map[*conversation]bool) {
	for _, m := range s.order {
		if m.chat.isOfficial() && !m.sure { // lost, because the platform has no history
			continue
		}
		if !m.calls || m.old || m.chat.off || !m.retractedAt.IsZero() || s.tooLate(m) {
			continue
		}
		from, done := m.at, false
		for _, c := range s.conversations {
			if slices.Contains(c.batch, m.n) {
				from, done = c.began, done || acted[c]
			}
		}
		if !done && !s.hasReason(m, from) {
			s.fail("%s of %v in %v was not answered and has no trace with a reason", token(m.chat, m.n), clock(m.at), m.chat.name)
		}
	}
}

// tooLate reports whether the bot was away until the message was, or almost was, too old.
func (s *simulation) tooLate(m *simMessage) bool {
	for _, life := range s.runs {
		if after := life.began.Sub(m.at); after > maxAge-5*time.Second && after < downLong+2*maxAge {
			return true
		}
	}
	return false
}

func (s *simulation) hasReason(m *simMessage, from time.Time) bool {
	return slices.ContainsFunc(s.traces, func(t heartflow.Trace) bool {
		if t.Chat != m.chat.name.String() || t.At.Before(from) || t.At.Sub(from) > 4*time.Minute {
			return false
		}
		switch t.Kind {
		case heartflow.KindJudge:
			return t.Do == heartflow.Silent && !slices.Contains(t.Why, heartflow.WhyNotCalled)
		case heartflow.KindSpeak:
			return t.Do == heartflow.Silent
		case heartflow.KindSkip:
			return slices.Contains(t.Why, heartflow.WhyModelSilent) || slices.Contains(t.Why, heartflow.WhyModelError) || slices.Contains(t.Why, heartflow.WhyNoWindow)
		}
		return false
	}) || s.unsent(m)
}

// unsent reports whether an answer was committed and then refused by QQ or reported as unclear.
func (s *simulation) unsent(m *simMessage) bool {
	for n, c := range s.byToken {
		if !slices.Contains(c.batch, m.n) {
			continue
		}
		if s.refused[n] || slices.ContainsFunc(s.notices, func(text string) bool { return number(text) == n }) {
			return true
		}
	}
	return false
}

func clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

var _ memory.Tailer = (*crashingStore)(nil)
