package onebotlink_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/onebot"
	"github.com/hearth-bot/hearth/persona/social"
	"github.com/hearth-bot/hearth/persona/social/onebotlink"
	"github.com/stretchr/testify/assert"
)

// The link sets every feature except those that OneBot does not need, and Actor every function.
func TestLink_HasAllFeatures(t *testing.T) {
	unset := []string{"Allowance", "NeedsQuote", "Permit", "SendsTo"}
	for _, all := range []any{social.FeaturesOf(onebotlink.New(nil, onebotlink.Options{})), onebotlink.Actor(onebot.NewBot(nil, 1))} {
		v := reflect.ValueOf(all)
		for i := range v.NumField() {
			name := v.Type().Field(i).Name
			assert.Equal(t, slices.Contains(unset, name), v.Field(i).IsZero(), "%T.%s", all, name)
		}
	}
}
