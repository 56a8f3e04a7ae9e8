package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/memory"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// oldFile creates a file in the schema of an earlier version, with records.
func oldFile(t *testing.T, version int) string {
	path := filepath.Join(t.TempDir(), "old.db")
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	for _, step := range migrations[:version] {
		_, err := raw.Exec(step)
		require.NoError(t, err)
	}
	_, err = raw.Exec(fmt.Sprintf("PRAGMA application_id=%d; PRAGMA user_version=%d", applicationID, version))
	require.NoError(t, err)
	_, err = raw.Exec(`INSERT INTO records (home, id, space, kind, text, person, name, reply_to, own, tags, importance, at, sources, vector, embedder)
		VALUES ('g', '1', 'g', 'message', '火锅', 'p', '', '', 0, '', 0, 1700000000000000000, '', NULL, ''),
		('g', 'f', 'g!', 'fact', '喜欢火锅', 'p', '', '', 0, '["t"]', .5, NULL, '["1","2"]', x'0000803f', 'e');
		INSERT INTO state VALUES (CAST('k' AS BLOB), x'00')`)
	require.NoError(t, err)
	return path
}

func columnOf(t *testing.T, path, query string) (names []string) {
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	rows, err := raw.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	for rows.Next() {
		var name string
		require.NoError(t, rows.Scan(&name))
		names = append(names, name)
	}
	require.NoError(t, rows.Err())
	return names
}

// TestMigrate_EveryVersion opens a file of each earlier version. It gets the schema of a new file and keeps its
// content.
func TestMigrate_EveryVersion(t *testing.T) {
	const schema = "SELECT coalesce(sql, name) FROM sqlite_schema ORDER BY name"
	fresh := filepath.Join(t.TempDir(), "new.db")
	db, err := Open(fresh, Options{})
	require.NoError(t, err)
	require.NoError(t, db.Close())
	for version := 1; version <= len(migrations); version++ {
		path := oldFile(t, version)
		if version < len(migrations) {
			_, err := Open(path, Options{ReadOnly: true})
			assert.ErrorContains(t, err, "written by an older version")
		}
		for range 2 { // the second time has nothing to do
			db, err := Open(path, Options{})
			require.NoError(t, err)
			got, err := db.Get(t.Context(), "g", "1")
			require.NoError(t, err)
			assert.Equal(t, []memory.Record{{ID: "1", Space: "g", Kind: memory.KindMessage, Text: "火锅", Person: "p", At: time.Unix(1.7e9, 0).UTC(), Seq: 1}}, got)
			made, err := db.FindDerived(t.Context(), "g!", "2")
			require.NoError(t, err)
			assert.Equal(t, []string{"f"}, made)
			rows, err := db.Load(t.Context(), "")
			require.NoError(t, err)
			assert.Equal(t, map[string][]byte{"k": {0}}, rows)
			assert.NoError(t, db.CheckIntegrity(t.Context()))
			require.NoError(t, db.Close())
		}
		assert.Equal(t, columnOf(t, fresh, schema), columnOf(t, path, schema), "from version %d", version)
		assert.Equal(t, []string{fmt.Sprint(len(migrations))}, columnOf(t, path, "SELECT user_version FROM pragma_user_version"))
	}
}

// TestMigrate_AllOrNothing: a failing step leaves the file in its version.
func TestMigrate_AllOrNothing(t *testing.T) {
	path := oldFile(t, 1)
	raw, err := sql.Open("sqlite", path)
	require.NoError(t, err)
	defer raw.Close()
	_, err = raw.Exec("CREATE TABLE records_derived (in_the_way)")
	require.NoError(t, err)
	_, err = Open(path, Options{})
	require.Error(t, err)
	assert.Equal(t, []string{"1"}, columnOf(t, path, "SELECT user_version FROM pragma_user_version"))
	_, err = raw.Exec("DROP TABLE records_derived")
	require.NoError(t, err)
	db, err := Open(path, Options{})
	require.NoError(t, err)
	assert.NoError(t, db.Close())
}

// TestFindDerived_UsesIndex: derived records are found without scanning messages.
func TestFindDerived_UsesIndex(t *testing.T) {
	db, err := Open(filepath.Join(t.TempDir(), "test.db"), Options{})
	require.NoError(t, err)
	defer db.Close()
	rows, err := db.readers.QueryContext(context.Background(), "EXPLAIN QUERY PLAN "+derivedSQL, "g", "[]")
	require.NoError(t, err)
	defer rows.Close()
	var plan string
	for rows.Next() {
		var a, b, c int
		var detail string
		require.NoError(t, rows.Scan(&a, &b, &c, &detail))
		plan += detail + "\n"
	}
	require.NoError(t, rows.Err())
	assert.Contains(t, plan, "USING INDEX records_derived")
}
