package qqbottest

import (
	"encoding/json"
	"slices"
	"time"
)

// Opcodes of the gateway.
const (
	opDispatch     = 0
	opHeartbeat    = 1
	opIdentify     = 2
	opResume       = 6
	opReconnect    = 7
	opInvalid      = 9
	opHello        = 10
	opHeartbeatAck = 11
)

// gateway is the state of the gateway. Server.mu guards it.
type gateway struct {
	links      []*link
	sessions   map[string]*session
	identifies int
	resumes    int
	left       int           // sessions that may be started
	resetAfter time.Duration // until more may be started
	refuse     bool
	halfOpen   bool
	noAcks     bool
	stale      bool // resumed sessions are accepted and closed at once
	replay     int  // events that are replayed although they were delivered
	beats      int
}

// A session is a bot that has identified itself.
type session struct {
	id      string
	intents int
	log     []dispatch
	dead    bool
}

// A dispatch is an event with its number.
type dispatch struct {
	seq   int
	frame []byte
	bit   int // the intent that it needs; 0 for READY and RESUMED
}

func (g *gateway) init() { g.sessions, g.left = make(map[string]*session), 1000 }

func (s *Server) serveGateway(r *request) reply {
	scheme := "ws://"
	if r.TLS != nil {
		scheme = "wss://"
	}
	return ok(object{"url": scheme + r.Host + "/websocket", "shards": 1, "session_start_limit": object{
		"total": 1000, "remaining": s.gateway.left, "reset_after": s.gateway.resetAfter.Milliseconds(), "max_concurrency": 1}})
}

// handle handles a frame and returns the code to close the link with, or 0. s.mu is held.
func (l *link) handle(op int, d json.RawMessage) (code int) {
	g := &l.s.gateway
	switch op {
	case opHeartbeat:
		g.beats++
		if !g.halfOpen && !g.noAcks {
			l.push(object{"op": opHeartbeatAck})
		}
	case opIdentify:
		return l.identify(d)
	case opResume:
		return l.resume(d)
	default:
		return 4001
	}
	return 0
}

func (l *link) identify(d json.RawMessage) int {
	g := &l.s.gateway
	var q struct {
		Token   string `json:"token"`
		Intents int    `json:"intents"`
		Shard   []int  `json:"shard"`
	}
	switch {
	case json.Unmarshal(d, &q) != nil:
		return 4002
	case !l.s.access.valid(token(q.Token), l.s.now()):
		return 4004
	case len(q.Shard) != 2 || q.Shard[0] >= q.Shard[1]:
		return 4010
	case q.Intents <= 0 || int64(q.Intents) >= 1<<31:
		return 4013
	case q.Intents&^l.s.opts.Intents != 0:
		return 4014
	case g.left <= 0:
		l.push(object{"op": opInvalid, "d": false})
		return 0
	}
	g.left--
	g.identifies++
	l.sess = &session{id: l.s.id("session-"), intents: q.Intents}
	g.sessions[l.sess.id] = l.sess
	l.sess.add(l, 0, object{"op": opDispatch, "t": "READY", "d": object{"version": 1, "session_id": l.sess.id, "shard": q.Shard,
		"user": object{"id": "7" + l.s.opts.AppID, "username": l.s.opts.Username, "bot": true}}})
	return 0
}

func (l *link) resume(d json.RawMessage) int {
	g := &l.s.gateway
	var q struct {
		Token   string `json:"token"`
		Session string `json:"session_id"`
		Seq     int    `json:"seq"`
	}
	if json.Unmarshal(d, &q) != nil {
		return 4002
	}
	if !l.s.access.valid(token(q.Token), l.s.now()) {
		return 4004
	}
	g.resumes++
	sess := g.sessions[q.Session]
	switch {
	case sess == nil || sess.dead:
		l.push(object{"op": opInvalid, "d": false})
		return 0
	case q.Seq > len(sess.log):
		return 4007
	case g.stale:
		return 4009
	}
	l.sess = sess
	again := g.replay
	events := slices.DeleteFunc(slices.Clone(sess.log), func(e dispatch) bool { return e.bit == 0 }) // without READY and RESUMED
	for i := len(events) - 1; i >= 0; i-- {
		if events[i].seq <= q.Seq {
			if again == 0 {
				events = events[i+1:]
				break
			}
			again--
		}
	}
	for _, e := range events {
		l.queue(e.frame)
	}
	sess.add(l, 0, object{"op": opDispatch, "t": "RESUMED", "d": ""})
	return 0
}

// add numbers a frame and sends it if there is a link.
func (e *session) add(l *link, bit int, frame object) {
	frame["s"] = len(e.log) + 1
	b, err := json.Marshal(frame)
	if err != nil {
		panic("qqbottest: " + err.Error())
	}
	e.log = append(e.log, dispatch{len(e.log) + 1, b, bit})
	if l != nil && !l.s.gateway.halfOpen {
		l.queue(b)
	}
}

// intents are the intents of events other than 1<<25.
var intents = map[string]int{"GROUP_MEMBER_ADD": 1 << 24, "GROUP_MEMBER_REMOVE": 1 << 24, "INTERACTION_CREATE": 1 << 26}

// replyable are the events that a message may reply to by event_id.
var replyable = []string{"INTERACTION_CREATE", "C2C_MSG_RECEIVE", "FRIEND_ADD", "GROUP_ADD_ROBOT", "GROUP_MSG_RECEIVE"}

// emit sends an event to all sessions and webhooks. s.mu is held.
func (s *Server) emit(event string, c *chat, d any) (id string) {
	id = s.id(event + ":")
	if c != nil && slices.Contains(replyable, event) {
		c.targets[id] = &target{at: s.now(), seqs: make(map[int]bool)}
	}
	bit := intents[event]
	if bit == 0 {
		bit = 1 << 25
	}
	for _, e := range s.gateway.sessions {
		if e.dead || e.intents&bit == 0 {
			continue
		}
		var to *link
		for _, l := range s.gateway.links {
			if l.sess == e {
				to = l
			}
		}
		e.add(to, bit, object{"op": opDispatch, "t": event, "id": id, "d": d})
	}
	for _, h := range s.hooks {
		h.add(object{"op": opDispatch, "t": event, "id": id, "s": s.count, "d": d})
	}
	s.changed()
	return id
}
