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

// An importer keeps a registry in step with what a server lists and the host approved. It lives as long as Run.
type importer struct {
	c       *Client
	pins    *pins
	added   map[string]string // hashes of what is in the registry, by the names here
	refused map[string]string // hashes that Approve refused last, by the names here
	asks    bucket            // questions left

	// of the current list
	waiting []*foreign // not asked yet, the first perhaps just now
	asking  bool
	why     map[string]string // of what is not imported, by the server's names
}

func newImporter(c *Client, p *pins) *importer {
	n := float64(c.o.Limits.ApprovalsPerHour)
	return &importer{c: c, pins: p, added: make(map[string]string), refused: make(map[string]string),
		asks: bucket{most: n, left: n, perSecond: n / 3600}}
}

// an answer of Approve about a tool.
type answer struct {
	*foreign
	ok  bool
	err error
}

var errUnasked = errors.New("it waits for approval")

// follow imports the tools of s, now and whenever they change, until the session or ctx ends.
func (im *importer) follow(ctx context.Context, s *session) error {
	ctx, cancel := context.WithCancel(ctx)
	var asker sync.WaitGroup
	defer asker.Wait()
	defer cancel()
	answers := make(chan answer)
	im.asking = false
	poll := time.NewTicker(im.c.o.PollInterval)
	defer poll.Stop()
	for {
		raw, more, err := s.list(ctx)
		if err != nil {
			return err
		}
		im.take(s, raw, more)
		again := time.After(relist)
		for due := false; !due; {
			if q, f, ok := im.question(); ok {
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
			case <-s.gone:
				return s.ended()
			case a := <-answers:
				im.asking = false
				im.heed(ctx, s, a)
			case <-poll.C:
				due = true
			case <-s.changed:
				select {
				case <-again: // not more often than that
					due = true
				case <-ctx.Done():
				case <-s.gone:
				}
			}
		}
	}
}

// take compares a list with what is imported: what is gone or changed goes at once, what is approved comes, the rest waits for Approve.
func (im *importer) take(s *session, raw []json.RawMessage, more bool) {
	im.why = make(map[string]string)
	found := im.read(raw)
	if more {
		im.c.log.Warn("an MCP server has more tools than are looked at", slog.Int("looked_at", len(raw)))
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
		switch before := im.pins.before(tool); {
		case im.added[tool] != "":
		case before != nil && before.Hash() == f.hash:
			im.add(s, f)
		case im.refused[tool] == f.hash:
			im.refuse(f.Name, errDisapproved)
		default:
			im.why[f.Name] = errUnasked.Error()
			im.waiting = append(im.waiting, f)
		}
	}
	maps.DeleteFunc(im.refused, func(tool, _ string) bool { return found[tool] == nil })
	im.tell()
}

var (
	errDisapproved = errors.New("it was not approved")
	errAsks        = errors.New("too many questions were asked about this server")
)

// read sorts out what is fit to be a tool. Of several that would have one name none is taken.
func (im *importer) read(raw []json.RawMessage) map[string]*foreign {
	found := make(map[string]*foreign, len(raw))
	twice := make(map[string]bool)
	for _, r := range raw {
		f, name, err := readTool(im.c.source.Name, r)
		if err != nil {
			im.refuse(name, err)
			continue
		}
		if found[f.tool] != nil {
			twice[f.tool] = true
		}
		found[f.tool] = f
	}
	for _, tool := range slices.Sorted(maps.Keys(twice)) {
		im.refuse(found[tool].Name, errTwice)
		delete(found, tool)
	}
	return found
}

// add puts a tool into the registry.
func (im *importer) add(s *session, f *foreign) {
	tool, err := f.define(s, &im.c.source)
	if err == nil {
		err = im.c.reg.Add(tool) // refuses a name that somebody else has
	}
	if err != nil {
		im.refuse(f.Name, err)
		return
	}
	im.added[f.tool] = f.hash
	delete(im.why, f.Name)
}

// question gives the next question for the host, once.
func (im *importer) question() (q ApprovalRequest, f *foreign, ok bool) {
	if im.asking || len(im.waiting) == 0 {
		return q, nil, false
	}
	if !im.asks.take(time.Now(), 1) {
		im.asks.left = 0
		for _, f := range im.waiting {
			im.refuse(f.Name, errAsks)
		}
		im.waiting = nil
		im.tell()
		return q, nil, false
	}
	im.asking = true
	f = im.waiting[0]
	return ApprovalRequest{Server: im.c.source.Name, Tool: f.tool, Proposed: f.Definition, Approved: im.pins.before(f.tool)}, f, true
}

// heed does what Approve said, unless the list has changed since and the question no longer stands.
func (im *importer) heed(ctx context.Context, s *session, a answer) {
	i := slices.IndexFunc(im.waiting, func(f *foreign) bool { return f.tool == a.tool && f.hash == a.hash })
	if i < 0 {
		return
	}
	im.waiting = slices.Delete(im.waiting, i, i+1)
	switch {
	case a.err != nil:
		im.refuse(a.Name, fmt.Errorf("it could not be asked about: %w", a.err))
	case !a.ok:
		im.refused[a.tool] = a.hash
		im.refuse(a.Name, errDisapproved)
	default:
		if err := im.pins.put(ctx, a.tool, a.Definition); err != nil {
			im.refuse(a.Name, fmt.Errorf("the approval could not be kept: %w", err))
			break
		}
		im.add(s, a.foreign)
	}
	im.tell()
}

// approve asks the host.
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

func (im *importer) refuse(name string, err error) {
	name = neutral(name, 80)
	im.why[name] = err.Error()
	im.c.log.Warn("a tool of an MCP server is not imported", slog.String("tool", name), slog.Any("err", err))
}

// forget takes all tools out of the registry: the server is away.
func (im *importer) forget(err error) {
	im.c.reg.Remove(slices.Collect(maps.Keys(im.added))...)
	clear(im.added)
	im.waiting, im.why = nil, nil
	im.c.update(func(s *Status) { s.Connected, s.Tools, s.NotImported, s.Err = false, nil, nil, err })
}

// tell puts what is imported into the status.
func (im *importer) tell() {
	im.c.update(func(s *Status) {
		s.Connected, s.Err = true, nil
		s.Tools, s.NotImported = slices.Sorted(maps.Keys(im.added)), maps.Clone(im.why)
	})
}
