package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/examples/internal/lang"
	"github.com/hearth-bot/hearth/examples/internal/outside"
	"github.com/hearth-bot/hearth/internal/pgtest"
	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const childEnv = "HEARTH_MOVE_TEST_CHILD" // source and target of a child process that stops half-way

var (
	server  *pgtest.Server
	missing error
	names   atomic.Int64
)

func TestMain(m *testing.M) {
	if from, to, ok := strings.Cut(os.Getenv(childEnv), "\n"); ok {
		stop := &mover{batch: 16, every: 16, say: func(t lang.Text) { fmt.Println(t); select {} }}
		fmt.Println(moveBetween(context.Background(), from, to, false, stop))
		return
	}
	os.Exit(pgtest.Main(m, func(s *pgtest.Server, err error) { server, missing = s, err }))
}

// database returns the -db of a new being.
func database(t *testing.T) string {
	if missing != nil {
		t.Skip("no server: ", missing)
	}
	return fmt.Sprintf("%s&being=bot%d", server.DSN(pgtest.Role, pgtest.Role), names.Add(1))
}

func file(t *testing.T) string { return filepath.Join(t.TempDir(), "bot.db") }

// with opens a store and closes it after f.
func with(t *testing.T, db string, f func(s store)) {
	t.Helper()
	s, end, err := open(t.Context(), "-db", db)
	require.NoError(t, err)
	defer end()
	f(s)
}

// full is a record with all fields.
var full = memory.Record{
	ID: "full", Space: "qq:group:1", Kind: memory.KindFact, Text: "爱喝手冲\n咖啡", Person: "10001", Name: "甲", ReplyTo: "m1", Own: true, Tags: []string{"a", "b"},
	Importance: 0.1, At: time.Unix(1700000000, 123456789).UTC(), Sources: []string{"m1", "m2"}, Label: memory.Untrusted("qq:group:1"), Vector: []float32{0.1, -2}, Embedder: "e", Seq: 1,
}

// fill writes records into several spaces, with gaps between their Seq, and rows.
func fill(t *testing.T, db string) {
	with(t, db, func(s store) {
		ctx := t.Context()
		var recs []memory.Record
		for i := range 90 {
			r := memory.Record{ID: fmt.Sprint("m", i), Space: memory.Space(fmt.Sprintf("qq:group:%d", i%3)), Kind: memory.KindMessage, Text: fmt.Sprint("第 ", i, " 句")}
			recs = append(recs, r)
		}
		require.NoError(t, s.Put(ctx, append(recs, full)...))
		secret := recs[30]
		secret.Space = secret.Space.Secret()
		require.NoError(t, s.Put(ctx, secret))
		require.NoError(t, s.Put(ctx, memory.Record{ID: "last", Space: "qq:group:1"}))
		require.NoError(t, s.Delete(ctx, "qq:group:1", "m1", "m4", "last"))
		rows := map[string][]byte{"empty": {}, "键": {0, 0xff}}
		for i := range 40 {
			rows[fmt.Sprint("row/", i)] = []byte{byte(i)}
		}
		require.NoError(t, s.Apply(ctx, rows))
	})
}

// A dump is all that a store has.
type dump struct {
	Last    uint64
	Records []memory.Record
	Rows    map[string][]byte
}

func dumpOf(t *testing.T, db string) (d dump) {
	t.Helper()
	with(t, db, func(s store) {
		var err error
		d.Last, err = s.LastSeq(t.Context())
		require.NoError(t, err)
		spaces, err := s.Spaces(t.Context())
		require.NoError(t, err)
		for _, space := range spaces {
			for r, err := range s.Scan(t.Context(), space, 0) {
				require.NoError(t, err)
				d.Records = append(d.Records, r)
			}
		}
		d.Rows, err = s.Load(t.Context(), "")
		require.NoError(t, err)
	})
	return d
}

func runMove(t *testing.T, args ...string) (string, error) {
	var out bytes.Buffer
	err := run(t.Context(), append(args, "-lang", "zh"), nil, &out, io.Discard)
	return out.String(), err
}

func TestRun_RoundTrip(t *testing.T) {
	first, db, last := file(t), database(t), file(t)
	fill(t, first)
	want := dumpOf(t, first)
	require.Len(t, want.Records, 89)
	require.Len(t, want.Rows, 42)
	said, err := runMove(t, "-from", first, "-to", db)
	require.NoError(t, err)
	assert.Contains(t, said, "来源：4 个空间，89 条记录，42 行状态")
	assert.Contains(t, said, "目标：4 个空间，89 条记录，42 行状态")
	assert.Contains(t, said, "以后启动机器人时写 -db '"+db+"'")
	assert.Equal(t, want, dumpOf(t, db))
	_, err = runMove(t, "-from", db, "-to", last)
	require.NoError(t, err)
	assert.Equal(t, want, dumpOf(t, last))
	assert.Equal(t, want, dumpOf(t, first), "the source")
	_, end, err := outside.Store(last)
	require.NoError(t, err, "a bot starts")
	end()
}

func TestRun_Refuses(t *testing.T) {
	from, to, none := file(t), file(t), file(t)
	fill(t, from)
	fill(t, to)
	want := dumpOf(t, to)
	for args, says := range map[[2]string]string{
		{from, to}: "里已经有记忆了", {from, from}: "同一个", {none, to}: "没有", {from, ""}: "要写 -from 和 -to", {from, filepath.Join(none, "x")}: "打不开",
		{"postgres://u:geheim@h/db", to}: "不要写密码",
	} {
		_, err := runMove(t, "-from", args[0], "-to", args[1])
		require.Error(t, err, args)
		assert.Contains(t, lang.Chinese.Error(err), says, args)
		assert.NotContains(t, lang.Chinese.Error(err), "geheim")
	}
	_, err := runMove(t, "-from", from, "-to", to, "-restart")
	require.ErrorContains(t, err, "has contents", "-restart empties half copies only")
	assert.Equal(t, want, dumpOf(t, to))
	assert.NoFileExists(t, none)
	with(t, from, func(store) {
		_, err := runMove(t, "-from", from, "-to", none)
		require.ErrorIs(t, err, sqlite.ErrBusy)
	})
	with(t, none, func(store) {})
	_, err = runMove(t, "-from", none, "-to", file(t))
	require.ErrorContains(t, err, "is empty")
	db := database(t)
	_, err = runMove(t, "-from", db, "-to", file(t))
	require.Error(t, err, "no such being")
}

// A process that is killed half-way leaves the source as it was, and a target with which nothing starts until it is moved again.
func TestRun_Killed(t *testing.T) {
	for _, to := range []func(*testing.T) string{file, database} {
		from, to := file(t), to(t)
		fill(t, from)
		want := dumpOf(t, from)
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childEnv+"="+from+"\n"+to)
		out, err := child.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, child.Start())
		line, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		require.NoError(t, child.Process.Kill())
		child.Wait()
		require.Contains(t, line, "copied ")
		if missing == nil { // the lease of the killed process ends now
			server.Exec(pgtest.Role, "UPDATE hearth.leases SET until = '-infinity'")
		}

		assert.Equal(t, want, dumpOf(t, from))
		assert.Less(t, len(dumpOf(t, to).Records), len(want.Records), "half")
		_, _, err = outside.Store(to)
		require.ErrorContains(t, err, "unfinished copy of a move")
		_, err = runMove(t, "-from", from, "-to", to)
		require.ErrorContains(t, err, "add -restart")
		_, err = runMove(t, "-from", to, "-to", file(t))
		require.ErrorContains(t, err, "itself an unfinished copy")
		_, err = runMove(t, "-from", from, "-to", to, "-restart")
		require.NoError(t, err)
		assert.Equal(t, want, dumpOf(t, to))
	}
}

// A change that the copy does not have is found, and the target stays a half copy.
func TestMove_Differs(t *testing.T) {
	from := file(t)
	fill(t, from)
	with(t, from, func(source store) {
		with(t, file(t), func(target store) {
			m := &mover{batch: 7, every: 1, say: func(text lang.Text) {
				if strings.HasPrefix(text.String(), "copied;") {
					require.NoError(t, source.Apply(t.Context(), map[string][]byte{"late": {1}}))
				}
			}}
			require.ErrorContains(t, m.move(t.Context(), source, target), "the contents differ")
			half, err := outside.IsUnfinished(t.Context(), target)
			require.NoError(t, err)
			assert.True(t, half)
			require.NoError(t, m.prepareTarget(t.Context(), target, "", true))
			empty, err := isEmpty(t.Context(), target)
			require.NoError(t, err)
			assert.True(t, empty)
		})
	})
}

// Each field of a record is part of the digest.
func TestRead_EveryField(t *testing.T) {
	digest := func(r memory.Record) [32]byte {
		s := memory.NewMemStore()
		require.NoError(t, s.Put(t.Context(), r))
		c, err := read(t.Context(), seqStore{s, r.Seq})
		require.NoError(t, err)
		return c.digest
	}
	want := digest(full)
	require.Equal(t, want, digest(full), "control")
	for i := range reflect.TypeFor[memory.Record]().NumField() {
		r := full.Clone()
		switch f := reflect.ValueOf(&r).Elem().Field(i); f.Addr().Interface().(type) {
		case *string, *memory.Space:
			f.SetString(f.String() + "1")
		case *[]string:
			f.Index(0).SetString("x")
		case *[]float32:
			f.Index(0).SetFloat(9)
		case *bool:
			f.SetBool(false)
		case *float64:
			f.SetFloat(0.2)
		case *uint64:
			f.SetUint(2)
		case *time.Time:
			r.At = r.At.Add(1)
		case *memory.Label:
			r.Label = memory.Trusted("qq:group:1")
		default:
			t.Fatal("unknown field ", reflect.TypeFor[memory.Record]().Field(i).Name)
		}
		assert.NotEqual(t, want, digest(r), reflect.TypeFor[memory.Record]().Field(i).Name)
	}
}

// A seqStore gives its only record a Seq.
type seqStore struct {
	*memory.MemStore
	seq uint64
}

func (s seqStore) Scan(ctx context.Context, space memory.Space, after uint64) iter.Seq2[memory.Record, error] {
	return func(yield func(memory.Record, error) bool) {
		for r, err := range s.MemStore.Scan(ctx, space, after) {
			if r.Seq = s.seq; !yield(r, err) {
				return
			}
		}
	}
}

func (seqStore) LastSeq(context.Context) (uint64, error)                 { return 0, nil }
func (seqStore) Restore(context.Context, uint64, ...memory.Record) error { return nil }
