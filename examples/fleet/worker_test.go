package main

import (
	"bytes"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/assert"
)

// An error that repeats is logged once a minute for each bot, and another one at once.
func TestComplaints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		c := complaints{log: slog.New(slog.NewTextHandler(&out, nil))}
		for range 150 {
			c.add("a", errors.New("no database"))
			c.add("b", errors.New("no database"))
			time.Sleep(time.Second)
		}
		c.add("a", errors.New("no link"))
		assert.Equal(t, 3, strings.Count(out.String(), `being=a err="no database"`))
		assert.Equal(t, 3, strings.Count(out.String(), `being=b err="no database"`))
		assert.Equal(t, 1, strings.Count(out.String(), `err="no link"`))
		assert.Len(t, c.last, 3)
	})
}
