package script

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Keys compares a file with the keys that encoding/json writes for the types of values, including nested types. It
// stops at types that marshal themselves. With update it writes the file.
func Keys(t *testing.T, file string, update bool, values ...any) {
	t.Helper()
	var b strings.Builder
	for _, v := range values {
		keys(&b, reflect.TypeOf(v), "")
		b.WriteByte('\n')
	}
	if update {
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		require.NoError(t, os.WriteFile(file, []byte(b.String()), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), b.String(), "stores keep these keys: do not rename them")
}

func keys(b *strings.Builder, of reflect.Type, prefix string) {
	own := func() bool { return prefix != "" && of.Implements(reflect.TypeFor[json.Marshaler]()) }
	for !own() && (of.Kind() == reflect.Pointer || of.Kind() == reflect.Slice || of.Kind() == reflect.Array) {
		of = of.Elem()
	}
	if own() || of.Kind() != reflect.Struct {
		return
	}
	for i := range of.NumField() {
		f := of.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			keys(b, f.Type, prefix)
		case f.IsExported() && name != "-":
			if name == "" {
				name = f.Name
			}
			b.WriteString(prefix + name + "\n")
			keys(b, f.Type, prefix+name+".")
		}
	}
}
