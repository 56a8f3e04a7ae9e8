package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/hearth-bot/hearth/memory/facts"
	"github.com/hearth-bot/hearth/memory/memorytest"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// After a person is erased, the files have no byte of what the person said about anybody, and of the claims of others about the person.
// The messages of others stay.
func TestErasePerson_LeavesNoFact(t *testing.T) {
	const victim, other = "p5417", "p11"
	path := filepath.Join(t.TempDir(), "test.db")
	db := open(t, path)
	m := memorytest.New(t, db, memory.Options{})
	ctx := t.Context()
	f := facts.New(m, db, group)
	said := 0
	say := func(person, name, text string) (claim string) {
		said++
		require.NoError(t, m.Put(ctx, memory.Record{ID: fmt.Sprint("m", said), Space: group, Person: person, Name: name, Text: text, At: time.Unix(1.77e9+int64(said), 0)}))
		_, err := f.CatchUp(ctx, nil)
		require.NoError(t, err)
		return fmt.Sprint("claim:0:m", said, ".") // with a byte that ends the number
	}
	say(other, "旁观者", "大家好")
	var gone []string
	for i := range 60 {
		for _, text := range []string{"我搬到canary5417市了", "我养了一只canary5417猫", "旁观者在canary5417公司上班", "我和旁观者在一起了"} {
			gone = append(gone, say(victim, "小金丝雀", fmt.Sprint(text)))
		}
		gone = append(gone, say(other, "旁观者", fmt.Sprint("听说小金丝雀住在bystander", i, "镇")))
		gone = append(gone, say(other, "旁观者", "我跟小金丝雀合租"))
		say(other, "旁观者", fmt.Sprint("我住在witness", i%10, "镇"))
	}
	require.Greater(t, found(t, path, []byte("canary5417")), 100)
	require.NotZero(t, found(t, path, []byte("claim:0:m2")))
	known, err := f.At(ctx, time.Unix(1.78e9, 0), victim)
	require.NoError(t, err)
	require.NotEmpty(t, known)

	_, err = m.ErasePerson(ctx, victim, memory.EraseOptions{})
	require.NoError(t, err)
	assert.Zero(t, found(t, path, []byte("canary5417")))
	assert.Zero(t, found(t, path, []byte(victim)))
	left := map[string]bool{}
	for _, r := range all(t, db, group) {
		left[r.ID+"."] = true
		if r.Kind == memory.KindClaim {
			assert.Equal(t, other, r.Person)
			assert.Contains(t, r.Text, "witness")
		}
	}
	for _, id := range gone {
		assert.False(t, left[id], id)
	}
	assert.NotZero(t, found(t, path, []byte("witness")))
	assert.NotZero(t, found(t, path, []byte("bystander")), "the messages of others")
	known, err = f.At(ctx, time.Unix(1.78e9, 0), victim, other)
	require.NoError(t, err)
	require.Len(t, known, 1)
	assert.Equal(t, "witness9镇", known[0].Value)
}
