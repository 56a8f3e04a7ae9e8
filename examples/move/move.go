package main

import (
	"context"
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/memory"
)

// A store is what *sqlite.DB and *postgres.DB have in common.
type store interface {
	memory.Store
	memory.State
	memory.Restorer
}

// A mover copies a store.
type mover struct {
	batch int // records or rows of one transaction
	every int // records between two lines of progress
	say   func(lang.Text)
}

// maxBytes limits the texts and vectors of one transaction. A larger record has a transaction of its own.
const maxBytes = 1 << 20

// checkSource returns an error if there is nothing to move, or only a half copy.
func (m *mover) checkSource(ctx context.Context, from store, name string) error {
	empty, err := isEmpty(ctx, from)
	if err != nil {
		return err
	}
	half, err := outside.IsUnfinished(ctx, from)
	if err != nil {
		return err
	}
	switch {
	case half:
		return lang.Errorf("-from：%s 自己就是没搬完的一半：从它的来源搬", "-from: %s is itself an unfinished copy: move from where it came", name)
	case empty:
		return lang.Errorf("-from：%s 是空的，没有可搬的（数据库的话看看 being 写对了没有）", "-from: %s is empty; if it is a database, is the being right?", name)
	}
	return nil
}

// prepareTarget returns an error if the target has contents. With restart it removes a half copy.
func (m *mover) prepareTarget(ctx context.Context, to store, name string, restart bool) error {
	half, err := outside.IsUnfinished(ctx, to)
	if err != nil {
		return err
	}
	switch {
	case half && restart:
		m.say(lang.T("清空没搬完的一半", "emptying the half copy"))
		if err := m.clear(ctx, to); err != nil {
			return err
		}
	case half:
		return lang.Errorf("-to：%s 里有上次没搬完的一半：加上 -restart 清空它、从头搬", "-to: %s has the half copy of a move that did not end: add -restart, which empties it and begins again", name)
	}
	empty, err := isEmpty(ctx, to)
	if err == nil && !empty {
		return lang.Errorf("-to：%s 里已经有记忆了：换一个文件名，或者换一个 being", "-to: %s has contents: name another file or another being", name)
	}
	return err
}

// move copies, compares, and marks the target as complete.
func (m *mover) move(ctx context.Context, from, to store) error {
	if err := to.Apply(ctx, map[string][]byte{outside.Unfinished: {}}); err != nil {
		return err
	}
	last, err := from.LastSeq(ctx)
	if err != nil {
		return err
	}
	if err := m.copyRecords(ctx, from, to, last); err != nil {
		return err
	}
	if err := m.copyRows(ctx, from, to); err != nil {
		return err
	}
	m.say(lang.T("复制完了，再读一遍两边，核对内容", "copied; now both sides are read again and compared"))
	if err := m.compare(ctx, from, to); err != nil {
		return err
	}
	return to.Apply(ctx, map[string][]byte{outside.Unfinished: nil})
}

// copyRecords copies the records of all spaces with their Seq.
func (m *mover) copyRecords(ctx context.Context, from, to store, last uint64) error {
	spaces, err := from.Spaces(ctx)
	if err != nil {
		return err
	}
	done := 0
	for i, s := range spaces {
		var recs []memory.Record
		size := 0
		flush := func() error {
			if err := to.Restore(ctx, last, recs...); err != nil {
				return err
			}
			if done/m.every != (done+len(recs))/m.every {
				m.say(lang.T("已复制 %d 条记录，在第 %d 个空间，共 %d 个", "copied %d records, in space %d of %d", done+len(recs), i+1, len(spaces)))
			}
			done, recs, size = done+len(recs), recs[:0], 0
			return nil
		}
		for r, err := range from.Scan(ctx, s, 0) {
			if err != nil {
				return err
			}
			recs, size = append(recs, r), size+len(r.Text)+4*len(r.Vector)
			if len(recs) >= m.batch || size >= maxBytes {
				if err := flush(); err != nil {
					return err
				}
			}
		}
		if err := flush(); err != nil {
			return err
		}
	}
	return nil
}

// copyRows copies the rows of the state.
func (m *mover) copyRows(ctx context.Context, from, to store) error {
	rows, err := from.Load(ctx, "")
	if err != nil {
		return err
	}
	part := map[string][]byte{}
	size := 0
	for _, k := range slices.Sorted(maps.Keys(rows)) {
		part[k] = rows[k]
		if size += len(k) + len(rows[k]); len(part) >= m.batch || size >= maxBytes {
			if err := to.Apply(ctx, part); err != nil {
				return err
			}
			clear(part)
			size = 0
		}
	}
	return to.Apply(ctx, part)
}

// clear removes everything from a half copy, its mark last.
func (m *mover) clear(ctx context.Context, s store) error {
	spaces, err := s.Spaces(ctx)
	if err != nil {
		return err
	}
	for _, space := range spaces {
		var ids []string
		for r, err := range s.Scan(ctx, space, 0) {
			if err != nil {
				return err
			}
			if ids = append(ids, r.ID); len(ids) >= m.batch {
				if err := s.Delete(ctx, space, ids...); err != nil {
					return err
				}
				ids = ids[:0]
			}
		}
		if err := s.Delete(ctx, space, ids...); err != nil {
			return err
		}
	}
	rows, err := s.Load(ctx, "")
	if err != nil {
		return err
	}
	delete(rows, outside.Unfinished)
	for k := range rows {
		rows[k] = nil
	}
	if err := s.Apply(ctx, rows); err != nil {
		return err
	}
	return s.Apply(ctx, map[string][]byte{outside.Unfinished: nil})
}

// isEmpty reports whether a store has no records and no rows.
func isEmpty(ctx context.Context, s store) (bool, error) {
	spaces, err := s.Spaces(ctx)
	if err != nil || len(spaces) > 0 {
		return false, err
	}
	rows, err := s.Load(ctx, "")
	return len(rows) == 0, err
}
