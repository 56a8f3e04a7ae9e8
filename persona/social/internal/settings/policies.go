package settings

import (
	"maps"
	"slices"

	"github.com/hearth-bot/hearth/heartflow"
)

// PolicyOf returns the policy with this name, or nil. The host's policies come before the built-in ones.
func PolicyOf(name string, policies map[string]heartflow.Policy) heartflow.Policy {
	if p := policies[name]; p != nil {
		return p
	}
	switch name {
	case "mention":
		return heartflow.MentionOnly{}
	case "interject":
		return heartflow.Interject{}
	}
	return nil
}

func policyNames(policies map[string]heartflow.Policy) []string {
	names := append(slices.Collect(maps.Keys(policies)), "mention", "interject")
	slices.Sort(names)
	return slices.Compact(names)
}
