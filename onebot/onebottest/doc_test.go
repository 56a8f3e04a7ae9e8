package onebottest

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestDoc_NamesEveryAction(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	section := regexp.MustCompile(`(?s)# Actions\n(.*?) Each may`).FindSubmatch(doc)
	require.NotNil(t, section)
	named := regexp.MustCompile(`\.?[a-z_]{5,}`).FindAllString(string(section[1]), -1)
	var known []string
	for name := range actions {
		known = append(known, name)
	}
	for i, name := range named {
		if name != ".handle_quick_operation" {
			named[i] = strings.TrimPrefix(name, ".")
		}
	}
	named = slices.DeleteFunc(named, func(name string) bool { return name == "streams" })
	assert.ElementsMatch(t, known, named)
}
