package hfc

import (
	"flag"
	"testing"
	"time"

	"github.com/hearth-bot/hearth/heartflow/internal/script"
)

var update = flag.Bool("update", false, "rewrite the expected lines in testdata")

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// playScripts plays the scripts that match the pattern.
func playScripts(t *testing.T, pattern string, begin func(t *testing.T) script.Step) {
	script.Files(t, pattern, *update, begin)
}
