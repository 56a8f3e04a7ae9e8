package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const childEnv = "HEARTH_SQLITE_TEST_CHILD" // path of the file that a child process writes to

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		from, _ := strconv.Atoi(os.Getenv(childEnv + "_FROM"))
		if err := write(path, from); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
	}
	os.Exit(m.Run())
}

// write keeps messages, facts and state and deletes, and tells of each what has been acknowledged, until it is killed.
func write(path string, from int) error {
	db, err := sqlite.Open(path, nil)
	if err != nil {
		return err
	}
	ctx := context.Background()
	for i := from; ; i++ {
		r := said(i)
		if i%5 == 0 {
			r.Kind = memory.Fact
		}
		if err := db.Put(ctx, r); err != nil {
			return err
		}
		fmt.Println("put", i)
		v := []byte(strconv.Itoa(i))
		if err := db.Apply(ctx, map[string][]byte{"a": v, "b": v}); err != nil {
			return err
		}
		fmt.Println("state", i)
		if i%7 == 6 {
			if err := db.Delete(ctx, group, strconv.Itoa(i-3)); err != nil {
				return err
			}
			fmt.Println("deleted", i-3)
		}
		if i%11 == 10 { // one call moves two records into the secret twin
			a, b := said(i-2), said(i)
			a.Space, b.Space = group.Secret(), group.Secret()
			if err := db.Put(ctx, a, b); err != nil {
				return err
			}
			fmt.Println("moved", i-2)
			fmt.Println("moved", i)
		}
	}
}

// TestKill kills a writing process again and again at random points. What it acknowledged is there once, what it
// deleted is gone, rows that were written together agree, and the file is whole.
func TestKill(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 6
	}
	path := filepath.Join(t.TempDir(), "test.db")
	where := map[int]memory.Space{} // of every acknowledged record; "" once deleted
	state, from := -1, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range kills {
		for _, ack := range child(t, path, from, 1+rng.IntN(60), time.Duration(rng.IntN(1000))*time.Microsecond) {
			from = max(from, ack.id+1)
			switch ack.what {
			case "put":
				where[ack.id] = group
			case "moved":
				where[ack.id] = group.Secret()
			case "deleted":
				if where[ack.id] == group { // and not moved before
					where[ack.id] = ""
				}
			case "state":
				state = ack.id
			}
		}
		from += 20 // beyond what was done but not told
		inspect(t, path, where, state)
		if t.Failed() {
			return
		}
	}
	require.Greater(t, len(where), kills, "hardly anything was written: the test tests nothing")
	t.Logf("%d kills, %d records acknowledged", kills, len(where))
}

type ack struct {
	what string
	id   int
}

// child writes, is killed a moment after so many words, and gives all that it said.
func child(t *testing.T, path string, from, words int, moment time.Duration) (acks []ack) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path, childEnv+"_FROM="+strconv.Itoa(from))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // what was not told to the end was not told
			require.ErrorIs(t, err, io.EOF)
			break
		}
		if words--; words == 0 {
			time.AfterFunc(moment, func() { cmd.Process.Kill() })
		}
		var a ack
		_, err = fmt.Sscanf(line, "%s %d", &a.what, &a.id)
		require.NoError(t, err, line)
		acks = append(acks, a)
	}
	cmd.Wait()
	return acks
}

func inspect(t *testing.T, path string, where map[int]memory.Space, state int) {
	db, err := sqlite.Open(path, nil)
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.Check(t.Context()))
	found := map[int][]memory.Space{}
	for _, s := range []memory.Space{group, group.Secret()} {
		for _, r := range all(t, db, s) {
			id, err := strconv.Atoi(r.ID)
			require.NoError(t, err)
			assert.Equal(t, said(id).Text, r.Text)
			found[id] = append(found[id], s)
		}
	}
	last := 0
	for id := range where {
		last = max(last, id)
	}
	for id, s := range where {
		switch {
		case s == "":
			assert.Empty(t, found[id], "record %d was deleted", id)
		case id >= last-4 && len(found[id]) < 2: // the one step that was not told may have deleted or moved it
			where[id] = ""
			for _, s := range found[id] {
				where[id] = s
			}
		default:
			assert.Equal(t, []memory.Space{s}, found[id], "record %d", id)
		}
	}
	for id, spaces := range found {
		assert.Len(t, spaces, 1, "record %d lies in one space", id)
	}
	rows, err := db.Load(t.Context(), "")
	require.NoError(t, err)
	assert.Equal(t, string(rows["a"]), string(rows["b"]), "rows of one call")
	got, _ := strconv.Atoi(string(rows["a"]))
	assert.GreaterOrEqual(t, got, state)
}
