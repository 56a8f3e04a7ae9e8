package napcat_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hearth-bot/hearth/onebot/napcat"
)

func config(dir string) napcat.Config {
	return napcat.Config{Dir: dir, Account: 10001, HTTPPort: 3000, WSPort: 3001, ReverseURL: "ws://127.0.0.1:8080/onebot", Token: "t0ken"}
}

func write(t *testing.T, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o640))
	return path
}

func read(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// A new file has all fields of NapCat's schema, in its spelling.
func TestConfig_ApplyCreatesFile(t *testing.T) {
	c := config(filepath.Join(t.TempDir(), "config"))
	require.ErrorContains(t, c.Check(), "missing")
	written, err := c.Apply()
	require.NoError(t, err)
	assert.True(t, written)
	assert.JSONEq(t, `{
		"network": {
			"httpServers": [{"name": "hearth-http", "enable": true, "port": 3000, "host": "127.0.0.1", "enableCors": false,
				"enableWebsocket": false, "messagePostFormat": "array", "token": "t0ken", "debug": false}],
			"httpSseServers": [], "httpClients": [],
			"websocketServers": [{"name": "hearth-ws", "enable": true, "host": "127.0.0.1", "port": 3001,
				"messagePostFormat": "array", "reportSelfMessage": true, "token": "t0ken", "enableForcePushEvent": true,
				"debug": false, "heartInterval": 30000}],
			"websocketClients": [{"name": "hearth-reverse", "enable": true, "url": "ws://127.0.0.1:8080/onebot",
				"messagePostFormat": "array", "reportSelfMessage": true, "reconnectInterval": 5000, "token": "t0ken",
				"debug": false, "heartInterval": 30000}],
			"plugins": []
		},
		"musicSignUrl": "", "enableLocalFile2Url": false, "parseMultMsg": false, "imageDownloadProxy": ""
	}`, read(t, c.Path()))
	require.NoError(t, c.Check())
	written, err = c.Apply()
	require.NoError(t, err)
	assert.False(t, written)
	info, err := os.Stat(c.Path())
	require.NoError(t, err)
	assert.Zero(t, info.Mode().Perm()&0o077&^umaskless(), "it holds a token")
	files, err := os.ReadDir(c.Dir)
	require.NoError(t, err)
	assert.Len(t, files, 1, "and nothing else is made")
}

func TestConfig_ApplyCorrectsFile(t *testing.T) {
	dir := t.TempDir()
	c := config(dir)
	path := write(t, dir, "onebot11_10001.json", `{
		"network": {
			"httpServers": [
				{"name": "other", "enable": true, "host": "::1", "port": 4000, "token": ""},
				{"name": "mine", "enable": false, "host": "0.0.0.0", "port": 3000, "token": "old", "debug": true, "new": {"a": [1]}}
			],
			"websocketClients": [{"name": "hearth-reverse", "enable": true, "url": "ws://elsewhere", "token": "t0ken"}],
			"futureServers": [1.50]
		},
		"parseMultMsg": true, "big": 12345678901234567890, "text": "<小炉>"
	}`)
	err := c.Check()
	var wrong *napcat.ConfigError
	require.ErrorAs(t, err, &wrong)
	assert.Equal(t, []string{
		`network.httpServers[1].enable is false, want true`,
		`network.httpServers[1].host is "0.0.0.0", want "127.0.0.1"`,
		`network.httpServers[1].token is another`,
		`network.websocketServers has no entry for port 3001`,
		`network.websocketClients[0].url is "ws://elsewhere", want "ws://127.0.0.1:8080/onebot"`,
	}, wrong.Problems)
	assert.NotContains(t, err.Error(), "t0ken")
	assert.NotContains(t, err.Error(), "old")

	written, err := c.Apply()
	require.NoError(t, err)
	assert.True(t, written)
	require.NoError(t, c.Check())
	text := read(t, path)
	for _, kept := range []string{"1.50", "12345678901234567890", "<小炉>", `"name": "mine"`, `"debug": true`, `"parseMultMsg": true`, `"::1"`, `"port": 4000`} {
		assert.Contains(t, text, kept)
	}
	assert.NotContains(t, text, "old")
	info, err := os.Stat(path)
	require.NoError(t, err)
	assert.Equal(t, os.FileMode(0o640)&^umaskless(), info.Mode().Perm()&^umaskless(), "the mode stays")
}

// umaskless returns the mode bits that the system's umask removes.
func umaskless() os.FileMode {
	if os.PathSeparator == '\\' {
		return 0o777
	}
	return 0
}

func TestConfig_StartsFromDefaultFile(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "onebot11.json", `{"network": {}, "parseMultMsg": true}`)
	c := napcat.Config{Dir: dir, Account: 10001, Token: "t"}
	written, err := c.Apply()
	require.NoError(t, err)
	assert.True(t, written)
	assert.JSONEq(t, `{"network": {}, "parseMultMsg": true}`, read(t, c.Path()))
}

// Apply returns an error for problems that it does not fix, and leaves the file unchanged.
func TestConfig_ApplyRefuses(t *testing.T) {
	for name, text := range map[string]string{
		"open to the network":  `{"network": {"httpSseServers": [{"enable": true, "host": "0.0.0.0", "port": 1}]}}`,
		`host is "",`:          `{"network": {"websocketServers": [{"enable": true, "host": "", "port": 1}]}}`,
		"is 3000":              `{"network": {"httpSseServers": [{"enable": true, "host": "127.0.0.1", "port": 3000}]}}`,
		"not a plain JSON":     `{"network": {}, /* json5 */}`,
		"onebot11_10001.json:": `null`,
		"JSON object":          `{} {}`,
		"network has":          `{"network": []}`,
		"httpServers has":      `{"network": {"httpServers": {}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := write(t, dir, "onebot11_10001.json", text)
			name := strings.Replace(name, "is 3000", "port 3000", 1)
			for range 2 {
				written, err := config(dir).Apply()
				assert.False(t, written)
				var wrong *napcat.ConfigError
				require.ErrorAs(t, err, &wrong)
				require.ErrorContains(t, err, name)
				require.ErrorAs(t, config(dir).Check(), &wrong)
			}
			assert.Equal(t, text, read(t, path))
		})
	}
}

func TestConfig_AllowNonLoopback(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "onebot11_10001.json", `{"network": {"websocketServers": [
		{"enable": true, "host": "0.0.0.0", "port": 1}, {"enable": false, "host": "0.0.0.0", "port": 1}]}}`)
	c := config(dir)
	_, err := c.Apply()
	require.Error(t, err)
	c.AllowNonLoopback = true
	_, err = c.Apply()
	require.NoError(t, err)
	require.NoError(t, c.Check())
}

func TestConfig_KeepsSymlink(t *testing.T) {
	dir := t.TempDir()
	target := write(t, dir, "real.json", `{}`)
	c := config(dir)
	if err := os.Symlink("real.json", c.Path()); err != nil {
		t.Skip(err)
	}
	_, err := c.Apply()
	require.NoError(t, err)
	assert.Contains(t, read(t, target), "hearth-ws")
}

func TestSupervisor_AppliesConfig(t *testing.T) {
	opts := options("serve", freePort(t))
	opts.Config.Dir = t.TempDir()
	opts.CheckOnly = true
	var wrong *napcat.ConfigError
	require.ErrorAs(t, run(t, opts).wait(t), &wrong)
	opts.CheckOnly = false
	r := run(t, opts)
	r.until(t, napcat.State.Ready)
	require.NoError(t, opts.Config.Check())
	assert.NotContains(t, r.log.String(), "secret-token-1")
}

// For any file: a file written by Apply passes Check, a refused file is unchanged, and nothing panics.
func FuzzConfig(f *testing.F) {
	f.Add(`{"network": {"httpServers": [{"name": "hearth-http", "port": "3000", "host": 1, "token": []}]}}`)
	f.Add(`{"network": {"httpServers": [null, 1, {"port": 3000.0, "enable": true}]}}`)
	f.Add(`{"network": null}`)
	f.Add("\uFEFF{}")
	f.Fuzz(func(t *testing.T, text string) {
		dir := t.TempDir()
		c := config(dir)
		path := write(t, dir, "onebot11_10001.json", text)
		if _, err := c.Apply(); err != nil {
			require.Equal(t, text, read(t, path))
			require.Error(t, c.Check())
			return
		}
		require.NoError(t, c.Check())
		require.True(t, json.Valid([]byte(strings.TrimPrefix(read(t, path), "\uFEFF"))))
	})
}
