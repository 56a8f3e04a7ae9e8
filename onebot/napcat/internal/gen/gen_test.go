package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The generated files in the repository match the table.
func TestGenerated_IsCurrent(t *testing.T) {
	table, err := os.ReadFile("../../actions.tsv")
	require.NoError(t, err)
	files, err := generate(table)
	require.NoError(t, err)
	have, err := filepath.Glob("../../*_gen.go")
	require.NoError(t, err)
	assert.Len(t, have, len(files), "a file too many or too few: go generate ./onebot/napcat")
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("../..", name))
		require.NoError(t, err)
		text := strings.ReplaceAll(string(got), "\r\n", "\n")
		assert.True(t, string(want) == text, "%s is not current: go generate ./onebot/napcat", name)
		assert.Less(t, strings.Count(text, "\n"), 400, name)
	}
}

func TestRun_WritesFiles(t *testing.T) {
	dir := t.TempDir()
	require.Error(t, run(dir))
	table := "# section: all of a\nget_url\tGetURL\tgroup_id:int type:str user_id@UserIDs:[]int? enable:bool* kind=7\turl>str\tgives a URL\n"
	require.NoError(t, os.WriteFile(filepath.Join(dir, "actions.tsv"), []byte(table), 0o600))
	require.NoError(t, run(dir))
	text, err := os.ReadFile(filepath.Join(dir, "actions_a_gen.go"))
	require.NoError(t, err)
	for _, want := range []string{
		"// GetURL gives a URL. (get_url)",
		"func (b Bot) GetURL(ctx context.Context, groupID int64, type_ string, o GetURLOptions) (string, error) {",
		`p := map[string]any{"group_id": groupID, "type": type_, "kind": 7}`,
		"UserIDs []int64 // user_id", "Enable  *bool   // enable",
		`p["enable"] = *o.Enable`, `return memberOf[string](ctx, b, "get_url", p, "url")`,
	} {
		assert.Contains(t, string(text), want)
	}
}

func TestParse_BadTables(t *testing.T) {
	for _, line := range []string{
		"a\tA\t\t-", "a\ta\t\t-\tdoes", "a\tA B\t\t-\tdoes", "\tA\t\t-\tdoes", "a\tA\tx\t-\tdoes", "a\tA\tx:what\t-\tdoes", "a\tA\tx:\t-\tdoes",
		"a\tA\t\t-\tdoes\na\tB\t\t-\tdoes", "a\tA\t\t-\tdoes\nb\tA\t\t-\tdoes", "a\tA\t\t[]no type\tdoes",
	} {
		_, err := generate([]byte("# section: x\n" + line))
		assert.Error(t, err, line)
	}
	_, err := generate([]byte("a\tA\t\t-\tdoes"))
	assert.Error(t, err, "no section")
}

func TestParam_Names(t *testing.T) {
	for wire, want := range map[string][2]string{
		"group_id": {"GroupID", "groupID"}, "url": {"URL", "url"}, "bot_appid": {"BotAppid", "botAppid"}, "rawData": {"RawData", "rawData"},
		"type": {"Type", "type_"}, "file_ids": {"FileIDs", "fileIDs"},
	} {
		p := param{name: camel(wire)}
		assert.Equal(t, want, [2]string{p.name, p.argument()}, wire)
	}
	for name, want := range map[string]string{"UserIDs": "userIDs", "URLPath": "urlPath", "ResIDs": "resIDs", "MD5": "md5", "PicURL": "picURL"} {
		assert.Equal(t, want, param{name: name}.argument())
	}
}
