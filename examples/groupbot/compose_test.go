package main

import (
	"bytes"
	"net/url"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

// A composeFile has the keys of the compose specification that our files use. Other keys are errors.
type composeFile struct {
	Services map[string]struct {
		Image       string            `yaml:"image"`
		Restart     string            `yaml:"restart"`
		MacAddress  string            `yaml:"mac_address"`
		ShmSize     string            `yaml:"shm_size"`
		CapAdd      []string          `yaml:"cap_add"`
		SecurityOpt []string          `yaml:"security_opt"`
		DependsOn   []string          `yaml:"depends_on"`
		Environment map[string]string `yaml:"environment"`
		Ports       []string          `yaml:"ports"`
		Volumes     []string          `yaml:"volumes"`
		Command     []string          `yaml:"command"`
		Build       struct {
			Context    string            `yaml:"context"`
			Dockerfile string            `yaml:"dockerfile"`
			Args       map[string]string `yaml:"args"`
		} `yaml:"build"`
	} `yaml:"services"`
	Volumes map[string]any `yaml:"volumes"`
}

var variable = regexp.MustCompile(`\$\{([A-Z_]+)(?::-([^}]*)|:\?)\}`)

// TestCompose checks each compose file: its keys, its volumes, that ports are open to this machine only, and that groupbot accepts
// its command. It runs no container.
func TestCompose(t *testing.T) {
	for _, name := range []string{"napcat", "llbot", "snowluma"} {
		text, err := os.ReadFile("compose." + name + ".yaml")
		require.NoError(t, err)
		var c composeFile
		d := yaml.NewDecoder(bytes.NewReader(text))
		d.KnownFields(true)
		require.NoError(t, d.Decode(&c), name)
		require.Len(t, c.Services, 2)
		for service, s := range c.Services {
			for _, p := range s.Ports {
				assert.True(t, strings.HasPrefix(p, "127.0.0.1:"), p)
			}
			for _, v := range s.Volumes {
				volume, path, _ := strings.Cut(v, ":")
				assert.Contains(t, c.Volumes, volume)
				assert.True(t, strings.HasPrefix(path, "/"), v)
			}
			assert.Equal(t, "unless-stopped", s.Restart, service)
		}
		bot := c.Services["groupbot"]
		assert.FileExists(t, bot.Build.Context+"/"+bot.Build.Dockerfile)
		assert.Equal(t, []string{name}, bot.DependsOn)
		var args []string
		for _, a := range bot.Command {
			args = append(args, variable.ReplaceAllStringFunc(a, func(v string) string {
				if m := variable.FindStringSubmatch(v); m[2] != "" {
					return m[2]
				}
				return "10001"
			}))
		}
		o, err := parse(args, &bytes.Buffer{})
		require.NoError(t, err, "%q", args)
		u, err := url.Parse(o.link.Forward)
		require.NoError(t, err)
		assert.Contains(t, c.Services, u.Hostname())
		assert.Equal(t, "/data/groupbot.db", o.db)
		assert.NotContains(t, string(text), "$OPENAI", "secrets come from .env")
	}
	docker, err := os.ReadFile("Dockerfile")
	require.NoError(t, err)
	for _, line := range []string{"USER 10001", "VOLUME /data", `ENTRYPOINT ["groupbot"]`} {
		assert.Contains(t, string(docker), "\n"+line+"\n")
	}
}
