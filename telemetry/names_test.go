package telemetry_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	semconv "go.opentelemetry.io/otel/semconv/v1.41.0"
	"go.opentelemetry.io/otel/semconv/v1.41.0/genaiconv"
)

// names returns the string literals of a Go file that begin with "gen_ai.", "hearth." or "error.".
func names(t *testing.T, path string) (found []string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
	require.NoError(t, err)
	ast.Inspect(file, func(n ast.Node) bool {
		if lit, ok := n.(*ast.BasicLit); ok && lit.Kind == token.STRING {
			if text, err := strconv.Unquote(lit.Value); err == nil && (strings.HasPrefix(text, "gen_ai.") || strings.HasPrefix(text, "hearth.") || strings.HasPrefix(text, "error.")) {
				found = append(found, text)
			}
		}
		return true
	})
	return found
}

// TestNames_InOneFile checks that names.go has all names, so that a new version of the conventions changes one file.
func TestNames_InOneFile(t *testing.T) {
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	require.NotEmpty(t, names(t, "names.go"))
	for _, path := range files {
		if path != "names.go" && !strings.HasSuffix(path, "_test.go") {
			assert.Empty(t, names(t, path), path)
		}
	}
}

// TestNames_OfConventions compares the names with those that OpenTelemetry's own module has. Two metrics are younger than it.
func TestNames_OfConventions(t *testing.T) {
	known := []string{
		string(semconv.ErrorTypeKey), string(semconv.GenAIAgentNameKey), string(semconv.GenAIConversationIDKey), string(semconv.GenAIInputMessagesKey), string(semconv.GenAIOperationNameKey),
		string(semconv.GenAIOutputMessagesKey), string(semconv.GenAIProviderNameKey), string(semconv.GenAIRequestModelKey), string(semconv.GenAIResponseFinishReasonsKey),
		string(semconv.GenAIResponseModelKey), string(semconv.GenAIResponseTimeToFirstChunkKey), string(semconv.GenAISystemInstructionsKey), string(semconv.GenAITokenTypeKey),
		string(semconv.GenAIToolCallArgumentsKey), string(semconv.GenAIToolCallIDKey), string(semconv.GenAIToolCallResultKey), string(semconv.GenAIToolNameKey), string(semconv.GenAIToolTypeKey),
		string(semconv.GenAIUsageCacheReadInputTokensKey), string(semconv.GenAIUsageInputTokensKey), string(semconv.GenAIUsageOutputTokensKey),
		genaiconv.ClientTokenUsage{}.Name(), genaiconv.ClientOperationDuration{}.Name(), genaiconv.ClientOperationTimeToFirstChunk{}.Name(),
		"gen_ai.invoke_agent.duration", "gen_ai.execute_tool.duration",
	}
	ours := slices.DeleteFunc(names(t, "names.go"), func(name string) bool { return strings.HasPrefix(name, "hearth.") })
	slices.Sort(known)
	slices.Sort(ours)
	assert.Equal(t, known, ours)
}

// TestReadme_Names checks that both READMEs explain each name of hearth and each metric.
func TestReadme_Names(t *testing.T) {
	for _, path := range []string{"README.md", "README.zh-CN.md"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		for _, name := range names(t, "names.go") {
			if strings.HasPrefix(name, "hearth.") || strings.HasSuffix(name, ".duration") || strings.HasSuffix(name, ".token.usage") {
				assert.Contains(t, string(text), name, path)
			}
		}
	}
}
