package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// found counts a needle in all files of a database.
func found(t testing.TB, path string, needle []byte) (n int) {
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, f := range files {
		b, err := os.ReadFile(f)
		require.NoError(t, err)
		n += bytes.Count(b, needle)
	}
	return n
}

// TestErasePerson_LeavesNoBytes: two people talk in several chats with derived data, and one person is erased. The open
// files contain no byte of that person's data and all data of the other person.
func TestErasePerson_LeavesNoBytes(t *testing.T) {
	const canary, other = "金丝雀canary5417", "旁观者bystander11"
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	m := memorytest.New(t, db, memory.Options{})
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(5, 4))
	spaces := []memory.Space{group, "qq:group:2", memory.Owner.Secret(), "qq:private:victim"}
	now := time.Unix(1.77e9, 0)
	for i := range 1200 {
		r := memory.Record{ID: fmt.Sprint("m", i), Space: spaces[rng.IntN(3)], Person: "p" + other, Name: "小" + other, At: now.Add(time.Duration(i) * time.Second)}
		word := other
		if rng.IntN(2) == 0 {
			word = canary
			r.Person, r.Name = "p"+canary, "小"+canary
			if rng.IntN(4) == 0 {
				r.Space = spaces[3]
			}
		}
		r.Text = strings.Repeat("话", rng.IntN(1500)) + word
		r.Vector, r.Embedder = []float32{1, float32(i)}, "e"
		require.NoError(t, m.Put(ctx, r))
	}
	sums := m.Summarizer(func(_ context.Context, old string, raw []memory.Record) (string, error) {
		return old + raw[0].Name + "说了", nil
	}, memory.SummaryOptions{Turns: 1, MaxMessages: 50})
	for _, s := range spaces {
		_, err := sums.Update(ctx, now, s)
		require.NoError(t, err)
		p, n := m.People(s), m.Notes(s)
		for _, word := range []string{canary, other} {
			require.NoError(t, p.SetImpression(ctx, now, "p"+word, "老说"+word))
			require.NoError(t, p.LearnNicknames(ctx, now, nil, memory.NicknameUse{Person: "p" + word, Name: "阿" + word, UsedBy: "p" + canary, Reliable: true}))
			require.NoError(t, n.SetSlot(ctx, now, word[:3], "小"+word+"要来"))
			require.NoError(t, n.SetScratch(ctx, now, "s", word[:3], "p"+word))
		}
	}
	_, err := m.Dream(ctx, now, func(_ context.Context, n memory.DreamInput) (out []memory.Insight, err error) {
		for i, r := range n.Messages {
			if i%10 == 0 {
				out = append(out, memory.Insight{Text: fmt.Sprint(i, r.Name, "说过"), Sources: []string{r.ID}, Importance: .9})
			}
		}
		return out, nil
	}, memory.DreamOptions{})
	require.NoError(t, err)
	_, err = sums.Update(ctx, now, group)
	require.NoError(t, err)
	require.Greater(t, found(t, path, []byte(canary)), 500)

	n, err := m.ErasePerson(ctx, "p"+canary, memory.EraseOptions{PrivateSpaces: spaces[3:4]})
	require.NoError(t, err)
	assert.Greater(t, n, 500)
	assert.Zero(t, found(t, path, []byte(canary)))
	assert.Zero(t, found(t, path, []byte(spaces[3])))
	assert.NoError(t, db.CheckIntegrity(ctx))
	left := 0
	for _, s := range spaces[:3] {
		for _, r := range all(t, db, s) {
			assert.Contains(t, r.Text, other)
			left++
		}
		who, err := m.People(s).Get(ctx, "p"+other)
		require.NoError(t, err)
		assert.Equal(t, "老说"+other, who.Impression)
	}
	assert.Greater(t, left, 500)
	t.Logf("%d records forgotten, %d left", n, left)
}

// TestScrub_RemovesFragments deletes many records of a file that was written in small steps. SQLite's overwriting alone
// leaves fragments of rows that it has moved between pages.
func TestScrub_RemovesFragments(t *testing.T) {
	for _, seed := range []uint64{0, 16} {
		rng := rand.New(rand.NewPCG(seed, 4))
		path := filepath.Join(t.TempDir(), "test.db")
		db := open(t, path)
		ctx := t.Context()
		var gone []string
		for i := range 600 {
			who := []string{"canary5417", "other"}[rng.IntN(2)]
			r := memory.Record{ID: fmt.Sprint(who, rng.IntN(300)), Space: group, Kind: memory.KindMessage, Text: strings.Repeat(who+" ", rng.IntN(300))}
			if i%3 == 0 {
				r.Space = group.Secret()
			}
			if who != "other" {
				gone = append(gone, r.ID)
			}
			require.NoError(t, db.Put(ctx, r))
			if rng.IntN(4) == 0 {
				require.NoError(t, db.Delete(ctx, group, fmt.Sprint(who, rng.IntN(300))))
			}
		}
		require.NoError(t, db.Delete(ctx, group, gone...))
		require.NoError(t, db.Delete(ctx, group.Secret(), gone...))
		require.NoError(t, db.Scrub(ctx))
		assert.Zero(t, found(t, path, []byte("canary5417")))
		assert.NotZero(t, found(t, path, []byte("other")))
	}
}

// TestScrub_WaitsForReaders: a reader of an old state keeps the log from being emptied. Scrub returns ErrBusy, and
// succeeds later.
func TestScrub_WaitsForReaders(t *testing.T) {
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	require.NoError(t, db.Put(t.Context(), said(1)))
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	c, err := raw.Conn(t.Context())
	require.NoError(t, err)
	defer c.Close()
	var n int
	require.NoError(t, c.QueryRowContext(t.Context(), "BEGIN; SELECT count(*) FROM records").Scan(&n))
	require.Equal(t, 1, n)
	require.NoError(t, db.Delete(t.Context(), group, "1"))
	assert.ErrorIs(t, db.Scrub(t.Context()), sqlite.ErrBusy)
	require.NoError(t, db.Put(t.Context(), said(2)), "the database still works")
	_, err = c.ExecContext(t.Context(), "ROLLBACK")
	require.NoError(t, err)
	require.NoError(t, db.Scrub(t.Context()))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	assert.ErrorIs(t, db.Scrub(ctx), context.Canceled)
	require.NoError(t, db.Close())
	assert.ErrorIs(t, db.Scrub(t.Context()), sqlite.ErrClosed)
}
