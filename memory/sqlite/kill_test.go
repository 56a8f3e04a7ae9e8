package sqlite_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/sqlite"
	"github.com/stretchr/testify/require"
)

const childEnv = "HEARTH_SQLITE_TEST_CHILD" // path of the file that a child process writes

func TestMain(m *testing.M) {
	if path := os.Getenv(childEnv); path != "" {
		from, _ := strconv.Atoi(os.Getenv(childEnv + "_FROM"))
		fmt.Println("error", write(path, from))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// A call is one operation of a child: it puts records with or without state, deletes a record, or sets state.
type call struct {
	put   []memory.Record
	del   int // record of the group; 0: none
	state []byte
}

// nth returns the same call in every process. Messages and durable calls alternate.
func nth(n int) (c call) {
	secret := func(id int) memory.Record {
		r := said(id)
		r.Space = group.Secret()
		return r
	}
	switch n % 10 {
	case 2:
		c.put, c.state = []memory.Record{said(n)}, []byte(strconv.Itoa(n))
	case 3:
		r := said(n)
		r.Kind = memory.KindFact
		c.put = []memory.Record{r}
	case 5:
		c.state = []byte(strconv.Itoa(n))
	case 7:
		c.del = n - 3
	case 8: // moves two
		c.put = []memory.Record{secret(n - 2), secret(n - 5)}
	case 9: // moves one back, with two new ones
		c.put = []memory.Record{said(n - 3), said(n), secret(-n)}
	default:
		c.put = []memory.Record{said(n)}
	}
	return c
}

// write makes one call after another and reports each after it returns, until the process is killed.
func write(path string, from int) error {
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err
	}
	ctx := context.Background()
	for n := from; ; n++ {
		var err error
		switch c := nth(n); {
		case c.put != nil && c.state != nil:
			err = db.PutApply(ctx, map[string][]byte{"a": c.state, "b": c.state}, c.put...)
		case c.put != nil:
			err = db.Put(ctx, c.put...)
		case c.del != 0:
			err = db.Delete(ctx, group, strconv.Itoa(c.del))
		default:
			err = db.Apply(ctx, map[string][]byte{"a": c.state, "b": c.state})
		}
		if err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// fileContent is the expected content of a file: the space and kind of each record, and the rows of state.
type fileContent map[string]string

func (w fileContent) after(n int) {
	c := nth(n)
	for _, r := range c.put {
		w[r.ID] = string(r.Space) + " " + r.Kind
	}
	if c.del != 0 {
		delete(w, strconv.Itoa(c.del))
	}
	if c.state != nil {
		w["state a"], w["state b"] = string(c.state), string(c.state)
	}
}

// TestDB_KilledProcess kills a writing process repeatedly at random points. All acknowledged calls have taken effect.
// The next call may have taken effect completely or not at all. The file contains nothing else, contains each record
// once, and is valid.
func TestDB_KilledProcess(t *testing.T) {
	kills := 200
	if testing.Short() {
		kills = 6
	}
	path := filepath.Join(t.TempDir(), "test.db")
	want, n, unsaid := fileContent{}, 0, 0
	rng := rand.New(rand.NewPCG(1, 2))
	for range kills {
		for told := child(t, path, n, 1+rng.IntN(30), time.Duration(rng.IntN(1000))*time.Microsecond); n < told; n++ {
			want.after(n)
		}
		got := inspect(t, path)
		if !maps.Equal(want, got) {
			want.after(n)
			n++
			unsaid++
		}
		if !maps.Equal(want, got) { // require.Equal is slow
			require.Equal(t, want, got, "after call %d", n-1)
		}
	}
	require.Greater(t, n, kills, "too few writes for a meaningful test")
	t.Logf("%d kills, %d calls, %d of them not acknowledged", kills, n, unsaid)
}

// child writes from the n-th call on and is killed shortly after that many reports. It returns the number of the call
// after the last acknowledged one.
func child(t *testing.T, path string, n, words int, moment time.Duration) (told int) {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+path, childEnv+"_FROM="+strconv.Itoa(n))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	lines := bufio.NewReader(out)
	for {
		line, err := lines.ReadString('\n')
		if err != nil { // an incomplete report does not count
			require.ErrorIs(t, err, io.EOF)
			break
		}
		if words--; words == 0 {
			time.AfterFunc(moment, func() { cmd.Process.Kill() })
		}
		require.Equal(t, strconv.Itoa(n), strings.TrimSpace(line))
		n++
	}
	cmd.Wait()
	return n
}

// inspect reads and checks the content of a file.
func inspect(t *testing.T, path string) fileContent {
	db, err := sqlite.Open(path, sqlite.Options{})
	require.NoError(t, err)
	defer db.Close()
	require.NoError(t, db.CheckIntegrity(t.Context()))
	got := fileContent{}
	for _, s := range []memory.Space{group, group.Secret()} {
		for _, r := range all(t, db, s) {
			if got[r.ID] != "" || r.Text != said(0).Text {
				t.Errorf("record %q is there twice, or is %q", r.ID, r.Text)
			}
			got[r.ID] = string(r.Space) + " " + r.Kind
		}
	}
	rows, err := db.Load(t.Context(), "")
	require.NoError(t, err)
	for k, v := range rows {
		got["state "+k] = string(v)
	}
	return got
}
