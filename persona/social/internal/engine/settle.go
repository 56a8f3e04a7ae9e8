package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/hearth-bot/hearth/persona"
	"github.com/hearth-bot/hearth/persona/jobs"
)

// An UnclearSend is documented in package social.
type UnclearSend struct {
	ID       string
	Kind     string
	Chat     persona.Chat
	Text     string
	At       time.Time
	Error    string
	Searched bool
}

var (
	// ErrSettled is returned for an unclear send that is not known, or not unclear any more.
	ErrSettled = errors.New("social: this send is not unclear: it was settled, or its chat was erased")
	// ErrSearched is returned while an unclear send is still looked up.
	ErrSearched = errors.New("social: this send is still looked up in the history of its chat: wait until that has ended")
)

// errNotSent is the stored error of an entry that was certainly not sent, as somebody says.
var errNotSent = errors.New("settled: it was not sent")

const settleLookup = 5 * time.Second // for one more read of the history

// Unclear returns the sends whose outcome is unknown, oldest first.
func (u *unconfirmedSends) Unclear() (all []UnclearSend) {
	for _, j := range u.engine.Jobs.Unclear() {
		for i, entry := range j.Outbox {
			if entry.Status != jobs.Unclear {
				continue
			}
			chat := entry.Chat
			if chat == (persona.Chat{}) {
				chat = j.Chat
			}
			all = append(all, UnclearSend{
				ID: unclearID(j.ID, i), Kind: j.Kind, Chat: chat, Text: entry.Text, At: entry.At, Error: entry.Error, Searched: j.Status != jobs.Done || u.has(j.ID, i),
			})
		}
	}
	slices.SortStableFunc(all, func(a, b UnclearSend) int { return a.At.Compare(b.At) })
	return all
}

// UnclearSends returns the sends whose outcome is unknown. It waits until Run has started.
func UnclearSends(ctx context.Context, e *Engine) ([]UnclearSend, error) {
	if err := e.AwaitStart(ctx); err != nil {
		return nil, err
	}
	return e.unconfirmed.Unclear(), nil
}

// unclearID returns the id of an entry of a job.
func unclearID(jobID string, entry int) string { return strconv.Itoa(entry) + "/" + jobID }

// has reports whether an entry waits to be looked up.
func (u *unconfirmedSends) has(jobID string, entry int) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.ContainsFunc(u.sends, func(d unconfirmedSend) bool { return d.jobID == jobID && d.index == entry })
}

// Settle stores that an unclear send was sent, or was not. It never sends anything. A message that was sent becomes part of
// the history, unless it is there already. It waits until Run has started, and returns the settled send.
func Settle(ctx context.Context, e *Engine, id string, sent bool) (UnclearSend, error) {
	if err := e.AwaitStart(ctx); err != nil {
		return UnclearSend{}, err
	}
	all := e.unconfirmed.Unclear()
	i := slices.IndexFunc(all, func(s UnclearSend) bool { return s.ID == id })
	switch {
	case i < 0:
		return UnclearSend{}, ErrSettled
	case all[i].Searched:
		return all[i], ErrSearched
	}
	number, jobID, _ := strings.Cut(id, "/")
	entry, err := strconv.Atoi(number)
	if err != nil {
		return all[i], ErrSettled
	}
	var messageID string
	failure := errNotSent
	if sent {
		failure = nil
		job, _ := e.Jobs.Lookup(jobID)
		if o := job.Outbox[entry]; o.Chat != (persona.Chat{}) && o.Chat != e.OwnerChat.ID { // the owner's conversation has it since before the send
			if messageID, err = e.unconfirmed.journalSettled(ctx, unconfirmedSend{jobID: jobID, index: entry, entry: o}); err != nil {
				return all[i], err
			}
		}
	}
	if err := e.Jobs.Result(ctx, time.Now(), jobID, entry, messageID, failure, false); err != nil {
		return all[i], fmt.Errorf("social: settle a send: %w", err)
	}
	return all[i], nil
}

// settledPrefix begins the keys of messages whose id is unknown.
const settledPrefix = "settled:"

// journalSettled makes a message that was sent part of the history, and returns its id, or "" if that is unknown. It may
// be there already, because a later back-fill has fetched it, or because a crash came before the result was stored.
func (u *unconfirmedSends) journalSettled(ctx context.Context, d unconfirmedSend) (id string, err error) {
	e := u.engine
	c, err := e.Chat(ctx, d.entry.Chat)
	if err != nil {
		return "", err
	}
	own := persona.Message{
		Key: settledPrefix + HashID(unclearID(d.jobID, d.index)) + "@" + strconv.FormatInt(d.entry.At.Unix(), 10), Chat: c.ID, From: e.SelfIn(c.ID), Name: e.Options.Profile.Name,
		At: d.entry.At, Text: d.entry.Text, ReplyTo: d.entry.ReplyTo, Own: true,
	}
	look, stop := context.WithTimeout(ctx, settleLookup)
	past, _ := e.recentMessages(look, c.ID, nil) // an error: the journal may show it
	stop()
	all := slices.DeleteFunc(append(slices.Clip(past), u.journaled(ctx, c.ID)...), func(m persona.Message) bool {
		return strings.HasPrefix(m.Key, settledPrefix) && m.Key != own.Key
	})
	if id := u.findSent(d, all, nil); id != "" {
		e.gaps.lookUp(c.ID) // the back-fill journals it
		if strings.HasPrefix(id, settledPrefix) {
			id = ""
		}
		return id, nil
	}
	if own.Text == "" || !e.markSeen(c, own) { // erased with somebody whom it may have quoted
		return "", nil
	}
	if err := e.journal(ctx, c, own, false); err != nil {
		return "", fmt.Errorf("social: journal a settled message: %w", err)
	}
	return "", nil
}
