package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime/debug"
	"slices"
	"sync"
	"time"
)

// An importer keeps the registry equal to the approved part of the server's tool list. It lives as long as Run.
type importer struct {
	c           *Client
	pins        *approvals
	added       map[string]string // hashes of the registered tools by local name
	disapproved map[string]string // hashes that Approve rejected last, by local name
	questions   tokenBucket       // remaining questions

	// State of the current list.
	waiting    []*remoteTool // without an answer; the first may be in question
	inQuestion bool
	rejected   map[string]string // reasons by the server's tool names
}

func newImporter(c *Client, p *approvals) *importer {
	n := float64(c.o.Limits.ApprovalsPerHour)
	return &importer{c: c, pins: p, added: make(map[string]string), disapproved: make(map[string]string),
		questions: tokenBucket{capacity: n, left: n, perSecond: n / 3600}}
}

// answer is the result of Approve for a tool.
type answer struct {
	*remoteTool
	ok  bool
	err error
}

var errAwaitingApproval = errors.New("awaiting approval")

// follow imports the tools of s and updates them until the session or ctx ends.
func (im *importer) follow(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	var asker sync.WaitGroup
	defer asker.Wait()
	defer cancel()
	answers := make(chan answer)
	im.inQuestion = false
	poll := time.NewTicker(im.c.o.PollInterval)
	defer poll.Stop()
	for {
		raw, more, err := s.list(ctx)
		if err != nil {
			return err
		}
		im.reconcile(s, raw, more)
		again := time.After(minListInterval)
		for due := false; !due; {
			if q, f, ok := im.nextQuestion(); ok {
				asker.Go(func() {
					ok, err := im.approve(ctx, q)
					select {
					case answers <- answer{f, ok, err}:
					case <-ctx.Done():
					}
				})
			}
			select {
			case <-ctx.Done():
				return nil
			case <-s.done:
				return s.endError()
			case a := <-answers:
				im.inQuestion = false
				im.applyAnswer(ctx, s, a)
			case <-poll.C:
				due = true
			case <-s.changed:
				select {
				case <-again: // rate limit
					due = true
				case <-ctx.Done():
				case <-s.done:
				}
			}
		}
	}
}

// reconcile compares a list with the registry. It removes missing and changed tools at once, adds approved tools, and
// queues the others for Approve.
func (im *importer) reconcile(s *session, raw []json.RawMessage, more bool) {
	im.rejected = make(map[string]string)
	found := im.parse(raw)
	if more {
		im.c.log.Warn("MCP server exceeds the tool limits", slog.Int("read", len(raw)))
	}
	for _, tool := range slices.Sorted(maps.Keys(im.added)) {
		if f := found[tool]; f == nil || f.hash != im.added[tool] {
			im.c.reg.Remove(tool)
			delete(im.added, tool)
		}
	}
	im.waiting = nil
	for _, tool := range slices.Sorted(maps.Keys(found)) {
		f := found[tool]
		switch before := im.pins.get(tool); {
		case im.added[tool] != "":
		case before != nil && before.Hash() == f.hash:
			im.add(s, f)
		case im.disapproved[tool] == f.hash:
			im.reject(f.Name, errDisapproved)
		default:
			im.rejected[f.Name] = errAwaitingApproval.Error()
			im.waiting = append(im.waiting, f)
		}
	}
	maps.DeleteFunc(im.disapproved, func(tool, _ string) bool { return found[tool] == nil })
	im.updateStatus()
}

var (
	errDisapproved      = errors.New("not approved")
	errTooManyQuestions = errors.New("the limit of approvals per hour is reached")
)

// parse decodes the valid tools. Tools with the same local name are all rejected.
func (im *importer) parse(raw []json.RawMessage) map[string]*remoteTool {
	found := make(map[string]*remoteTool, len(raw))
	twice := make(map[string]bool)
	for _, r := range raw {
		f, name, err := readTool(im.c.source.Name, r)
		if err != nil {
			im.reject(name, err)
			continue
		}
		if found[f.localName] != nil {
			twice[f.localName] = true
		}
		found[f.localName] = f
	}
	for _, tool := range slices.Sorted(maps.Keys(twice)) {
		im.reject(found[tool].Name, errDuplicateName)
		delete(found, tool)
	}
	return found
}

// add puts a tool into the registry.
func (im *importer) add(s *session, f *remoteTool) {
	tool, err := f.define(s, &im.c.source)
	if err == nil {
		err = im.c.reg.Add(tool) // fails if the name is taken
	}
	if err != nil {
		im.reject(f.Name, err)
		return
	}
	im.added[f.localName] = f.hash
	delete(im.rejected, f.Name)
}

// nextQuestion returns the next question for Approve, at most one at a time.
func (im *importer) nextQuestion() (q ApprovalRequest, f *remoteTool, ok bool) {
	if im.inQuestion || len(im.waiting) == 0 {
		return q, nil, false
	}
	if !im.questions.take(time.Now(), 1) {
		im.questions.left = 0
		for _, f := range im.waiting {
			im.reject(f.Name, errTooManyQuestions)
		}
		im.waiting = nil
		im.updateStatus()
		return q, nil, false
	}
	im.inQuestion = true
	f = im.waiting[0]
	return ApprovalRequest{Server: im.c.source.Name, Tool: f.localName, Proposed: f.Definition, Approved: im.pins.get(f.localName)}, f, true
}

// applyAnswer applies the answer unless the list has changed since the question.
func (im *importer) applyAnswer(ctx context.Context, s *session, a answer) {
	i := slices.IndexFunc(im.waiting, func(f *remoteTool) bool { return f.localName == a.localName && f.hash == a.hash })
	if i < 0 {
		return
	}
	im.waiting = slices.Delete(im.waiting, i, i+1)
	switch {
	case a.err != nil:
		im.reject(a.Name, fmt.Errorf("approve: %w", a.err))
	case !a.ok:
		im.disapproved[a.localName] = a.hash
		im.reject(a.Name, errDisapproved)
	default:
		if err := im.pins.put(ctx, a.localName, a.Definition); err != nil {
			im.reject(a.Name, fmt.Errorf("store the approval: %w", err))
			break
		}
		im.add(s, a.remoteTool)
	}
	im.updateStatus()
}

// approve calls Approve.
func (im *importer) approve(ctx context.Context, q ApprovalRequest) (ok bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			ok, err = false, fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	if im.c.o.Approve == nil {
		return false, nil
	}
	return im.c.o.Approve(ctx, q)
}

func (im *importer) reject(name string, err error) {
	name = sanitize(name, 80)
	im.rejected[name] = err.Error()
	im.c.log.Warn("MCP tool not imported", slog.String("tool", name), slog.Any("err", err))
}

// removeAll removes all tools from the registry after a disconnect.
func (im *importer) removeAll(err error) {
	im.c.reg.Remove(slices.Collect(maps.Keys(im.added))...)
	clear(im.added)
	im.waiting, im.rejected = nil, nil
	im.c.update(func(s *Status) { s.Connected, s.Tools, s.NotImported, s.Err = false, nil, nil, err })
}

// updateStatus copies the import state to the status.
func (im *importer) updateStatus() {
	im.c.update(func(s *Status) {
		s.Connected, s.Err = true, nil
		s.Tools, s.NotImported = slices.Sorted(maps.Keys(im.added)), maps.Clone(im.rejected)
	})
}
