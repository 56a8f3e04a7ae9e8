package script_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit/script"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func parse(t testing.TB, src string) *script.Script {
	t.Helper()
	s, err := script.Parse(src, script.Options{})
	require.NoError(t, err)
	return s
}

func TestRun_EndsAtAFailure(t *testing.T) {
	boom := errors.New("boom")
	var calls []string
	_, err := script.Run("$x = a()\n  b(x=$x)\nc()", script.Options{}, func(name string, args map[string]any) (any, error) {
		calls = append(calls, name)
		if name == "b" {
			return nil, boom
		}
		return args, nil
	})
	require.ErrorIs(t, err, boom)
	assert.EqualError(t, err, "script: run: line 2, col 3: boom")
	assert.Equal(t, []string{"a", "b"}, calls)

	_, err = script.Run("a()", script.Options{}, func(string, map[string]any) (any, error) { panic("oh") })
	assert.EqualError(t, err, "script: run: line 1, col 1: panic: oh")
	_, err = script.Run("async a()", script.Options{}, func(string, map[string]any) (any, error) { runtime.Goexit(); return nil, nil })
	assert.EqualError(t, err, "script: run: line 1, col 7: the call ended its goroutine")
	last, err := script.Run("# nothing", script.Options{}, nil)
	assert.NoError(t, err)
	assert.Nil(t, last)
}

// Data from a variable keeps its provenance through lists, objects and calls.
func TestRun_Provenance(t *testing.T) {
	s := parse(t, `
$m = read_owner_memory(q="地址")
$n = read_social_memory()
$s = sum(parts=["以下是", [$m, {"k": $n}]], title="总结")
send(content=$s, to="群")
send(content="早")
`)
	var from []string
	last, err := s.Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
		from = append(from, fmt.Sprintf("%s %v %v", c.Name, c.ArgProvenance, c.Provenance()))
		v := script.Value{Data: c.Name}
		if c.Name == "read_owner_memory" {
			v.Provenance = script.NewProvenance("space:owner")
		}
		return v, nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{
		"read_owner_memory map[] []",
		"read_social_memory map[] []",
		"sum map[parts:[read_owner_memory read_social_memory space:owner]] [read_owner_memory read_social_memory space:owner]",
		"send map[content:[read_owner_memory read_social_memory space:owner sum]] [read_owner_memory read_social_memory space:owner sum]",
		"send map[] []",
	}, from)
	assert.Equal(t, script.Value{Data: "send", Provenance: script.Provenance{"send"}}, last)
	assert.True(t, script.NewProvenance("b", "a", "b").Has("a"))
	assert.Equal(t, script.Provenance{"a", "b"}, script.NewProvenance("b", "a", "b"))
}

// On random scripts: the provenance of a call is the union over its variables.
func TestRun_ProvenanceOnlyGrows(t *testing.T) {
	for seed := range uint64(50) {
		src, deps := randomScript(seed)
		i := 0
		_, err := parse(t, src).Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
			assert.Equal(t, deps[i], c.Provenance(), "call %d of\n%s", i, src)
			i++
			return script.Value{}, nil
		})
		require.NoError(t, err)
		require.Equal(t, len(deps), i)
	}
}

// randomScript returns a script and the expected provenance of each call.
func randomScript(seed uint64) (src string, deps []script.Provenance) {
	next := func(n int) int { seed = seed*6364136223846793005 + 1442695040888963407; return int(seed>>33) % n }
	holds := map[int]script.Provenance{} // by variable
	for i := range 2 + next(12) {
		var from script.Provenance
		args := ""
		for a := range next(4) {
			value := `"x"`
			if vars := slices.Sorted(maps.Keys(holds)); len(vars) > 0 && next(3) > 0 {
				v := vars[next(len(vars))]
				from = from.Union(holds[v])
				value = []string{"$v%d", "[1, $v%d]", `[[{"k": $v%d}]]`}[next(3)]
				value = fmt.Sprintf(value, v)
			}
			args += fmt.Sprintf("a%d=%s,", a, value)
		}
		v := next(5)
		holds[v] = from.Union(script.NewProvenance(fmt.Sprintf("t%d", i)))
		deps = append(deps, from)
		src += fmt.Sprintf("$v%d = t%d(%s)\n", v, i, args)
	}
	return src, deps
}

// Async calls run concurrently, their variables are awaited, and all have ended when the script ends.
func TestRun_Async(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var mu sync.Mutex
		var log []string
		note := func(what string) {
			mu.Lock()
			defer mu.Unlock()
			log = append(log, fmt.Sprintf("%v %s", time.Since(start), what))
		}
		wait := map[string]time.Duration{"slow": 3 * time.Second, "mid": 2 * time.Second, "quick": time.Second}
		last, err := parse(t, `
$a = async slow()
$b = async mid()
quick()
use(x=[$b])
async slow(x=1)
$c = async mid()
`).Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
			time.Sleep(wait[c.Name])
			note(c.Name)
			return script.Value{Data: c.Name}, nil
		})
		require.NoError(t, err)
		assert.Equal(t, "mid", last.Data)
		assert.Equal(t, 5*time.Second, time.Since(start))
		assert.Equal(t, []string{"1s quick", "2s mid", "2s use", "3s slow", "4s mid", "5s slow"}, log)
	})
}

// The legacy dialect runs calls in sequence on the caller's goroutine.
func TestRun_LegacyAsyncIsSequential(t *testing.T) {
	calls, err := trace(t, "async a()\n$x = async b()\nc(x=$x)", compatible)
	require.NoError(t, err)
	assert.Equal(t, []string{"a{}", "b{}", `c{"x":"R2"}`}, calls)
}

// A call that uses the variable fails with it. Otherwise the script fails at its end with the first failed call.
func TestRun_AsyncFailures(t *testing.T) {
	run := func(src string) (calls []string, err error) {
		synctest.Test(t, func(t *testing.T) {
			var mu sync.Mutex
			_, err = parse(t, src).Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
				mu.Lock()
				calls = append(calls, c.Name)
				mu.Unlock()
				switch c.Name {
				case "late":
					time.Sleep(2 * time.Second)
					return script.Value{}, errors.New("too late")
				case "soon":
					time.Sleep(time.Second)
					return script.Value{}, errors.New("too soon")
				case "mad":
					panic("mad")
				}
				return script.Value{}, nil
			})
		})
		slices.Sort(calls)
		return calls, err
	}
	calls, err := run("$x = async soon()\na()\nb(x=$x)\nc()")
	assert.EqualError(t, err, "script: run: line 1, col 12: too soon")
	assert.Equal(t, []string{"a", "soon"}, calls)
	calls, err = run("async late()\nasync soon()\na()")
	assert.EqualError(t, err, "script: run: line 1, col 7: too late")
	assert.Equal(t, []string{"a", "late", "soon"}, calls)
	calls, err = run("async late()\nmad()\na()")
	assert.EqualError(t, err, "script: run: line 2, col 1: panic: mad")
	assert.Equal(t, []string{"late", "mad"}, calls)
	_, err = run("async mad()")
	assert.EqualError(t, err, "script: run: line 1, col 7: panic: mad")
}

// After ctx ends, no call starts, and Run returns after the running calls.
func TestRun_AsyncEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		running := 0
		_, err := parse(t, "async a()\nb()\nc()").Run(ctx, func(ctx context.Context, c script.Call) (script.Value, error) {
			assert.NotEqual(t, "c", c.Name)
			if c.Name == "a" {
				running++
				<-ctx.Done()
				time.Sleep(time.Second) // cleanup
				running--
				return script.Value{}, ctx.Err()
			}
			<-ctx.Done()
			return script.Value{}, nil
		})
		require.ErrorIs(t, err, context.DeadlineExceeded)
		assert.EqualError(t, err, "script: run: line 3, col 1: context deadline exceeded")
		assert.Zero(t, running)
	})
}

// Concurrent calls do not write to each other's provenance.
func TestProvenance_IsNotShared(t *testing.T) {
	src := "$x = a()\n"
	for i := range 10 {
		src += fmt.Sprintf("$v%d = async t%d(x=$x)\n", i, i)
	}
	src += "end(x=$v3)\n"
	_, err := parse(t, src).Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
		if c.Name == "end" {
			assert.Equal(t, script.Provenance{"a", "b", "t3"}, c.Provenance())
		}
		if c.Name == "a" {
			return script.Value{Provenance: script.NewProvenance("b", "a")}, nil // the duplicate "a" leaves spare capacity
		}
		return script.Value{}, nil
	})
	require.NoError(t, err)
}

// A script can run many times concurrently.
func TestScript_ConcurrentRuns(t *testing.T) {
	s := parse(t, "$x = async a(n=1)\nb(x=$x, y=[$x])")
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() {
			last, err := s.Run(t.Context(), func(_ context.Context, c script.Call) (script.Value, error) {
				return script.Value{Data: canonical(c.Args)}, nil
			})
			assert.NoError(t, err)
			assert.Equal(t, `{"x":"{\"n\":1}","y":["{\"n\":1}"]}`, last.Data)
		})
	}
	wg.Wait()
}
