package telemetry_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestLinkedModules checks that the package links the API of OpenTelemetry, and neither its SDK nor an exporter: the program chooses
// those.
func TestLinkedModules(t *testing.T) {
	modules := func(of string) map[string]bool {
		out, err := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}}{{end}}", of).Output()
		require.NoError(t, err)
		found := map[string]bool{}
		for _, path := range strings.Fields(string(out)) {
			found[path] = true
		}
		return found
	}
	apart := []string{"go.opentelemetry.io/otel/sdk", "go.opentelemetry.io/otel/sdk/metric", "go.opentelemetry.io/otel/exporters/prometheus", "github.com/prometheus/client_golang", "google.golang.org/protobuf", "github.com/stretchr/testify"}
	ours, example := modules("."), modules("./example")
	assert.True(t, ours["go.opentelemetry.io/otel/trace"] && ours["github.com/hearth-bot/hearth"], "go list reports the modules")
	for _, path := range apart {
		assert.False(t, ours[path], path)
		assert.Equal(t, path != "github.com/stretchr/testify", example[path], "the example links %s", path)
	}
}

// TestReadme_Example checks that both READMEs show lines of the example.
func TestReadme_Example(t *testing.T) {
	source, err := os.ReadFile("example/main.go")
	require.NoError(t, err)
	for _, path := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		_, code, ok := strings.Cut(string(text), "```go\n")
		require.True(t, ok)
		code, _, _ = strings.Cut(code, "```")
		assert.Contains(t, string(source), "\t"+strings.ReplaceAll(strings.TrimSuffix(code, "\n"), "\n", "\n\t"), path)
	}
}
