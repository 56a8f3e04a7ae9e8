package nit_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// buyer returns a tool with an effect that counts its runs.
func buyer(t testing.TB, name string, tier nit.Tier, ran *atomic.Int64, opts ...nit.Option) nit.Tool {
	t.Helper()
	type in struct {
		What string `json:"what,omitempty"`
	}
	tool, err := nit.Define(name, tier, "下单", func(_ context.Context, in in) (string, error) {
		ran.Add(1)
		return "bought " + in.What, nil
	}, opts...)
	require.NoError(t, err)
	return tool
}

// Confirm gets the arguments with invisible characters escaped.
func TestConfirm_EscapesInvisibleCharacters(t *testing.T) {
	for _, tt := range []struct{ args, asked string }{
		{`{"what":"茶👨‍👩\n"}`, `{"what":"茶👨‍👩\n"}`},
		{"{ \r\n\t\"what\" : \"\u202e茶\u2066\U000E0061\u007f\u2028\\u202e\"}", "{ \r\n\t\"what\" : \"\\u202e茶\\u2066\\udb40\\udc61\\u007f\\u2028\\u202e\"}"},
	} {
		var asked string
		var ran atomic.Int64
		r := nit.Registry{Confirm: func(_ context.Context, r nit.Request) (bool, error) { asked = string(r.Args); return true, nil }}
		add(t, &r, buyer(t, "buy", nit.L1, &ran, nit.RequireConfirmation()))
		_, err := r.View(agent).Do(t.Context(), "buy", tt.args)
		require.NoError(t, err)
		assert.EqualValues(t, 1, ran.Load())
		assert.Equal(t, tt.asked, asked)
		assert.JSONEq(t, tt.args, asked)
	}
}

func TestPolicy_Decisions(t *testing.T) {
	decide := func(d nit.Decision) nit.Policy {
		return func(context.Context, nit.Request) (nit.Decision, error) { return d, nil }
	}
	breaks := func(context.Context, nit.Request) (nit.Decision, error) { return nit.Allow, errors.New("SECRET") }
	panics := func(context.Context, nit.Request) (nit.Decision, error) { panic("SECRET") }
	yes := func(context.Context, nit.Request) (bool, error) { return true, nil }
	no := func(context.Context, nit.Request) (bool, error) { return false, nil }
	for name, tt := range map[string]struct {
		policy  nit.Policy
		under   nit.Policy
		confirm nit.Confirm
		opts    []nit.Option
		runs    bool
		asked   bool
	}{
		"none":                  {runs: true},
		"allow":                 {policy: decide(nit.Allow), runs: true},
		"deny":                  {policy: decide(nit.Deny), confirm: yes},
		"no such decision":      {policy: decide(77), confirm: yes},
		"an error":              {policy: breaks, confirm: yes},
		"a panic":               {policy: panics, confirm: yes},
		"ask, yes":              {policy: decide(nit.Ask), confirm: yes, runs: true, asked: true},
		"ask, no":               {policy: decide(nit.Ask), confirm: no, asked: true},
		"ask nobody":            {policy: decide(nit.Ask), asked: true},
		"ask, then deny":        {policy: decide(nit.Ask), under: decide(nit.Deny), confirm: yes},
		"deny, then allow":      {policy: decide(nit.Deny), under: decide(nit.Allow), confirm: yes},
		"allow, then ask":       {policy: decide(nit.Allow), under: decide(nit.Ask), confirm: no, asked: true},
		"the tool's own":        {policy: decide(nit.Allow), confirm: no, opts: []nit.Option{nit.RequireConfirmation()}, asked: true},
		"the tool's own, yes":   {confirm: yes, opts: []nit.Option{nit.RequireConfirmation(), nit.ReadOnly()}, runs: true, asked: true},
		"denied though it asks": {policy: decide(nit.Deny), confirm: yes, opts: []nit.Option{nit.RequireConfirmation()}},
		"also what is ReadOnly": {policy: decide(nit.Deny), opts: []nit.Option{nit.ReadOnly()}},
		"also what Commits":     {policy: decide(nit.Deny), opts: []nit.Option{nit.SelfCommitting()}},
		"a human who fails":     {policy: decide(nit.Ask), confirm: func(context.Context, nit.Request) (bool, error) { return true, errors.New("SECRET") }, asked: true},
		"a human who panics":    {policy: decide(nit.Ask), confirm: func(context.Context, nit.Request) (bool, error) { panic("SECRET") }, asked: true},
	} {
		t.Run(name, func(t *testing.T) {
			var rec nit.Record
			var ran atomic.Int64
			guarded := false
			r := nit.Registry{Policy: tt.policy, Confirm: tt.confirm, Audit: func(_ context.Context, r nit.Record) { rec = r }}
			add(t, &r, buyer(t, "buy", nit.L1, &ran, tt.opts...))
			v := r.View(persona).WithGuard(func(context.Context, nit.ToolInfo) error { guarded = true; return nil })
			if tt.under != nil {
				v = v.WithPolicy(tt.under)
			}
			resp := v.Call(t.Context(), call("buy", `{"what":"SECRET"}`))
			assert.Equal(t, tt.runs, ran.Load() == 1)
			assert.Equal(t, tt.asked, rec.ConfirmationAsked)
			if !tt.runs {
				assert.Equal(t, "error: not allowed now", resp.Content)
				assert.Equal(t, nit.Refused, rec.Outcome)
				assert.False(t, guarded, "nothing is written down that does not come")
			}
			_, err := v.Do(t.Context(), "buy", `{"wrong":1}`)
			assert.ErrorIs(t, err, nit.ErrInvalidArgs, "nobody is asked about that")
			_, err = v.Do(t.Context(), "absent", "")
			assert.Equal(t, nit.ErrUnknownTool, err, "nor about that")
		})
	}
	assert.Equal(t, "deny ask allow deny", strings.Join([]string{nit.Decision(0).String(), nit.Ask.String(), nit.Allow.String(), nit.Decision(9).String()}, " "))
	var r nit.Registry
	add(t, &r, say(t, "a", nit.L1, "A"))
	_, err := r.View(persona).WithPolicy(nil).Do(t.Context(), "a", "")
	assert.ErrorIs(t, err, nit.ErrRefused, "a nil policy denies")
	assert.Nil(t, (*nit.View)(nil).WithPolicy(nil))
}

func TestPolicy_SeesTheWholeCall(t *testing.T) {
	var got []nit.Request
	see := func(ctx context.Context, r nit.Request) {
		p, ok := nit.PrincipalFrom(ctx)
		assert.True(t, ok && p == persona)
		got = append(got, r)
	}
	var ran atomic.Int64
	r := nit.Registry{
		Policy:  func(ctx context.Context, r nit.Request) (nit.Decision, error) { see(ctx, r); return nit.Ask, nil },
		Confirm: func(ctx context.Context, r nit.Request) (bool, error) { see(ctx, r); return true, nil },
	}
	add(t, &r, buyer(t, "buy", nit.L1, &ran, nit.DescribeIn(nit.ModePersona, "买东西")))
	_, err := r.View(persona).Do(t.Context(), "buy", `{"what":"九块九"}`)
	require.NoError(t, err)
	want := nit.Request{Principal: persona, Tool: nit.ToolInfo{Name: "buy", Description: "买东西", Tier: nit.L1}, Args: json.RawMessage(`{"what":"九块九"}`)}
	assert.Equal(t, []nit.Request{want, want}, got)
	_, err = r.View(persona).Do(t.Context(), "buy", " ")
	require.NoError(t, err)
	assert.Equal(t, "{}", string(got[2].Args))
}

// No answer in time means no. A later yes changes nothing, and a tool that was removed before the yes does not run.
func TestConfirm_NoAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran atomic.Int64
		think := time.Hour
		heeds := true
		r := nit.Registry{Limits: nit.Limits{Calls: -1, Timeout: time.Second}, Confirm: func(ctx context.Context, _ nit.Request) (bool, error) {
			select {
			case <-time.After(think):
			case <-ctx.Done():
				if !heeds {
					time.Sleep(500 * time.Millisecond)
				}
			}
			return true, nil
		}}
		add(t, &r, buyer(t, "buy", nit.L1, &ran, nit.RequireConfirmation()))
		v := r.View(persona)
		for _, heeds = range []bool{true, false} {
			start := time.Now()
			_, err := v.Do(t.Context(), "buy", "")
			assert.ErrorIs(t, err, nit.ErrRefused)
			assert.Equal(t, 2*time.Minute, time.Since(start).Truncate(time.Second))
		}
		assert.Zero(t, ran.Load())

		think = time.Minute // longer than the tool's timeout, which excludes it
		_, err := v.Do(t.Context(), "buy", "")
		require.NoError(t, err)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = v.Do(ctx, "buy", "")
		assert.ErrorIs(t, err, nit.ErrRefused)
		assert.ErrorIs(t, err, context.DeadlineExceeded)

		time.AfterFunc(30*time.Second, func() { r.Remove("buy") })
		_, err = v.Do(t.Context(), "buy", "")
		assert.Equal(t, nit.ErrUnknownTool, err, "removed while a human thought")
		assert.EqualValues(t, 1, ran.Load())
		require.NoError(t, r.Wait(t.Context()))
	})
}

// 16 calls may wait for confirmation at a time. More are refused at once.
func TestConfirm_LimitsConcurrentQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ran, open, most atomic.Int64
		r := nit.Registry{Limits: nit.Limits{Calls: -1}, Confirm: func(_ context.Context, _ nit.Request) (bool, error) {
			n := open.Add(1)
			defer open.Add(-1)
			for m := most.Load(); n > m && !most.CompareAndSwap(m, n); m = most.Load() {
			}
			time.Sleep(time.Minute)
			return true, nil
		}}
		add(t, &r, buyer(t, "buy", nit.L1, &ran, nit.RequireConfirmation()), buyer(t, "look", nit.L1, new(atomic.Int64)))
		v := r.View(persona)
		var wg sync.WaitGroup
		var refused atomic.Int64
		for range 40 {
			wg.Go(func() {
				if _, err := v.Do(t.Context(), "buy", ""); err != nil {
					assert.ErrorIs(t, err, nit.ErrRefused)
					refused.Add(1)
				}
			})
		}
		synctest.Wait()
		_, err := v.Do(t.Context(), "look", "")
		require.NoError(t, err, "others go on")
		wg.Wait()
		assert.EqualValues(t, 16, most.Load())
		assert.EqualValues(t, 16, ran.Load())
		assert.EqualValues(t, 24, refused.Load())
		_, err = v.Do(t.Context(), "buy", "")
		require.NoError(t, err, "there is room again")
	})
}

func TestRevokesAfterUse(t *testing.T) {
	build := func(confirm nit.Confirm) *nit.Registry {
		r := &nit.Registry{Limits: nit.Limits{Calls: -1}, Confirm: confirm}
		add(t, r, say(t, "read_social_memory", nit.L2, "SHELL NOW", nit.ReadOnly(), nit.RevokesAfterUse(nit.L3)), say(t, "shell_exec", nit.L3, "ran"), say(t, "qq_poke", nit.L1, "poked"),
			say(t, "file_read", nit.L3, "notes", nit.ReadOnly()), say(t, "web_search", nit.L3, "pages", nit.ReadOnly(), nit.OpenWorld()))
		return r
	}
	r := build(nil)
	v := r.View(agent)
	sub := v.Filter(func(nit.ToolInfo) bool { return true })
	_, err := v.Do(t.Context(), "shell_exec", "")
	require.NoError(t, err)
	_, err = sub.Do(t.Context(), "read_social_memory", "")
	require.NoError(t, err)
	for _, v := range []*nit.View{v, sub} {
		assert.Equal(t, []string{"file_read", "qq_poke", "read_social_memory", "web_search"}, names(v))
		assert.Equal(t, unknownAnswer, asJSON(t, v.Call(t.Context(), call("shell_exec", ""))))
		for _, stays := range []string{"qq_poke", "file_read", "web_search"} {
			_, err = v.Do(t.Context(), stays, "")
			require.NoError(t, err)
		}
		assert.False(t, v.Has("shell_exec"))
		assert.True(t, v.Has("file_read"))
		assert.Equal(t, nit.L1|nit.L2, v.Tiers())
	}
	_, err = r.View(agent).Do(t.Context(), "shell_exec", "")
	require.NoError(t, err, "another turn")

	asked := 0
	answer := true
	v = build(func(_ context.Context, r nit.Request) (bool, error) { asked++; return answer, nil }).View(agent)
	_, err = v.Do(t.Context(), "shell_exec", "")
	require.NoError(t, err)
	assert.Zero(t, asked)
	_, err = v.Do(t.Context(), "read_social_memory", "")
	require.NoError(t, err)
	assert.Contains(t, names(v), "shell_exec")
	_, err = v.Do(t.Context(), "shell_exec", "")
	require.NoError(t, err)
	answer = false
	_, err = v.Do(t.Context(), "shell_exec", "")
	assert.ErrorIs(t, err, nit.ErrRefused)
	_, err = v.Do(t.Context(), "file_read", "")
	require.NoError(t, err)
	assert.Equal(t, 2, asked, "nobody is asked about what changes nothing")
	for _, tiers := range []nit.Tier{0, 8, nit.L3 | 16} {
		_, err := nit.Define("a", nit.L3, "d", func(context.Context, none) (string, error) { return "", nil }, nit.RevokesAfterUse(tiers))
		assert.Error(t, err)
	}
}

func TestView_ConfirmFutureCall(t *testing.T) {
	var asked []nit.Request
	r := &nit.Registry{Confirm: func(_ context.Context, r nit.Request) (bool, error) {
		asked = append(asked, r)
		return len(asked) == 1, nil
	}}
	who := nit.Principal{Mode: nit.ModeAgent, Person: "1"}
	req := nit.Request{Principal: nit.Principal{Person: "2"}, Tool: nit.ToolInfo{Name: "shell_exec"}, Args: json.RawMessage(`{"when":"5min"}`)}
	require.NoError(t, r.View(who).Confirm(t.Context(), req))
	require.Error(t, r.View(who).Confirm(t.Context(), req), "a no")
	req.Principal = who
	assert.Equal(t, []nit.Request{req, req}, asked)
	require.Error(t, new(nit.Registry).View(who).Confirm(t.Context(), req), "nobody can be asked")
	require.Error(t, (*nit.View)(nil).Confirm(t.Context(), req))
	require.Error(t, new(nit.View).Confirm(t.Context(), req))
}
