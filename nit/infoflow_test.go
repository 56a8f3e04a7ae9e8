package nit_test

import (
	"context"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestToolInfo_HasWhatPoliciesNeed(t *testing.T) {
	type in struct {
		Group nit.ID `json:"group_id,omitempty"`
		User  nit.ID `json:"user_id"`
	}
	words := []string{"踢"}
	tool, err := nit.Define("kick", nit.L3, "d", func(context.Context, in) (string, error) { return "", nil },
		nit.ResultIntegrity(nit.Untrusted), nit.ResultIntegrity(nit.Trusted), nit.OpenWorld(), nit.ActsOn(words, "group_id", "user_id"))
	require.NoError(t, err)
	words[0] = "别的"
	infos := map[nit.ToolInfo]int{}
	var r nit.Registry
	add(t, &r, tool, say(t, "plain", nit.L3, ""))
	for range 2 {
		r.View(agent).HasFunc(func(i nit.ToolInfo) bool { infos[i]++; return false })
	}
	require.Len(t, infos, 2, "an Info equals itself")
	for i := range infos {
		if i.Name == "plain" {
			assert.Equal(t, nit.ToolInfo{Name: "plain", Description: "about plain", Tier: nit.L3}, i)
			continue
		}
		assert.Equal(t, nit.Trusted, i.ResultIntegrity, "the last one counts")
		assert.True(t, i.OpenWorld)
		assert.Equal(t, &nit.Target{CommandWords: []string{"踢"}, Args: []string{"group_id", "user_id"}}, i.Target)
		assert.True(t, i.RequestedIn([]byte(`{"user_id":5}`), "踢 5"))
		assert.True(t, i.ArgumentsFoundIn([]byte(`{"user_id":5}`), "踢 5"))
	}
	assert.Equal(t, "undeclared trusted untrusted undeclared", nit.Integrity(0).String()+" "+nit.Trusted.String()+" "+nit.Untrusted.String()+" "+nit.Integrity(9).String())
}

// A view reports its calls to its own audits and to the registry's, also calls of revoked tools.
func TestView_WithAudit(t *testing.T) {
	for _, withRegistry := range []bool{false, true} {
		var got, registry []string
		r := nit.Registry{}
		if withRegistry {
			r.Audit = func(_ context.Context, rec nit.Record) {
				registry = append(registry, rec.CalledName+" "+string(rec.Outcome))
			}
		}
		add(t, &r, say(t, "shell_exec", nit.L3, "ran"), say(t, "look", nit.L1, "seen", nit.ReadOnly()))
		plain := r.View(agent)
		audit := func(_ context.Context, rec nit.Record) { got = append(got, rec.CalledName+" "+string(rec.Outcome)) }
		v := plain.WithAudit(audit).WithAudit(nil)
		sub := v.Filter(func(nit.ToolInfo) bool { return true }).WithAudit(func(context.Context, nit.Record) { got = append(got, "sub") })
		do := func(v *nit.View, name string) string { return asJSON(t, v.Call(t.Context(), call(name, ""))) }
		do(v, "look")
		v.Revoke(nit.L3)
		assert.Equal(t, unknownAnswer, do(sub, "shell_exec"))
		assert.Equal(t, unknownAnswer, do(v, "no_such_tool"))
		do(plain, "look")
		assert.Equal(t, []string{"look done", "shell_exec shed", "sub", "no_such_tool absent"}, got)
		if withRegistry {
			assert.Equal(t, []string{"look done", "shell_exec shed", "no_such_tool absent", "look done"}, registry)
		}
	}
	assert.Nil(t, (*nit.View)(nil).WithAudit(func(context.Context, nit.Record) {}))
}
