package programs

import (
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// pageOf gets a page with a bearer token.
func pageOf(t testing.TB, url, token string) (status int, body string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	b, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(b)
}

// groupbot -http shows what it decides, to who has the token that it prints. Two tokens of one's own differ in what they show.
func TestGroupbot_Pages(t *testing.T) {
	t.Parallel()
	var out screen
	cmd := command(t, "groupbot", "-http", "127.0.0.1:0", "-http-read-token", "only-for-looking-at-it", "-speed", "50")
	cmd.Stdout = &out
	_, err := cmd.StdinPipe()
	require.NoError(t, err)
	start(t, cmd)
	var found []string
	until(t, func() bool {
		found = regexp.MustCompile(`它的网页：(http://\S+/)，令牌是 (\w+)`).FindStringSubmatch(out.Printed())
		return found != nil && strings.Contains(out.Printed(), "spoke: ")
	})
	url, token := found[1], found[2]
	status, _ := pageOf(t, url, "wrong-wrong-wrong-wrong")
	assert.Equal(t, http.StatusUnauthorized, status)
	status, live := pageOf(t, url, token)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, live, "炉边夜话")
	decision := regexp.MustCompile(`href="/(bot/0/decision\?seq=\d+)">判断：问模型`).FindStringSubmatch(live)
	require.NotNil(t, decision, live)
	_, opened := pageOf(t, url+decision[1], token)
	assert.Contains(t, opened, "✓")
	status, _ = pageOf(t, url+"bot/0/memory", "only-for-looking-at-it")
	assert.Equal(t, http.StatusForbidden, status)
	status, memory := pageOf(t, url+"bot/0/memory?q=年糕", token)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, memory, "年糕")
	require.NoError(t, cmd.Process.Signal(os.Interrupt))
	require.NoError(t, cmd.Wait())

	for want, args := range map[string][]string{
		"-http-token and -http-read-token do nothing without -http": {"-http-token", "0123456789abcdef"},
		"a token of -http is too short":                             {"-http", "8081", "-http-token", "short"},
		"is not on loopback: set GROUPBOT_TOKEN":                    {"-http", "0.0.0.0:8081"},
	} {
		_, text := said(t, languages["en"], "groupbot", nil, args...)
		assert.Contains(t, text, want)
	}
}

// The companion has the same pages, and opens into its day.
func TestCompanion_Inspect(t *testing.T) {
	t.Parallel()
	var out screen
	startCompanion(t, &out)
	base := ""
	until(t, func() bool { base = address.FindString(out.Printed()); return base != "" })
	assert.NotContains(t, out.Printed(), token)
	status, _ := pageOf(t, base, "wrong-wrong-wrong-wrong")
	assert.Equal(t, http.StatusUnauthorized, status)
	status, day := pageOf(t, base, token)
	assert.Equal(t, http.StatusOK, status)
	assert.Contains(t, day, `href="/bot/0/plans"`)
	assert.Contains(t, day, `action="/bot/0/talk"`)
	for _, path := range []string{"bot/0/", "bot/0/plans", "bot/0/memory"} {
		status, _ = pageOf(t, base+path, token)
		assert.Equal(t, http.StatusOK, status, path)
	}
}

// groupbot keeps the port and the token beside its file, and its owner talks to it by the page.
func TestGroupbot_PagesAgain(t *testing.T) {
	t.Parallel()
	db := filepath.Join(t.TempDir(), "a.db")
	start := func() []string {
		var out screen
		cmd := command(t, "groupbot", "-http", "127.0.0.1:0", "-db", db, "-speed", "50")
		cmd.Stdout = &out
		_, err := cmd.StdinPipe()
		require.NoError(t, err)
		start(t, cmd)
		var found []string
		until(t, func() bool {
			found = regexp.MustCompile(`它的网页：(http://\S+/)，令牌是 (\w+)`).FindStringSubmatch(out.Printed())
			return found != nil
		})
		assert.Contains(t, talkTo(t, found[1], found[2], "你好"), `"type":"done"`)
		_, day := pageOf(t, found[1]+"bot/0/day", found[2])
		assert.Contains(t, day, "你好")
		require.NoError(t, cmd.Process.Signal(os.Interrupt))
		require.NoError(t, cmd.Wait())
		return found
	}
	before, after := start(), start()
	for range 9 {
		if before[1] == after[1] {
			break
		}
		before, after = after, start() // another program had got the port meanwhile
	}
	assert.Equal(t, before, after)
}

// talkTo says something on the page of a program, and returns the answer as JSON lines.
func talkTo(t *testing.T, url, token, text string) string {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"bot/0/talk", strings.NewReader("text="+text))
	require.NoError(t, err)
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return string(answer)
}
