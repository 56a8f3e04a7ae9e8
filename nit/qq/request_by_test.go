package qq

import (
	"testing"

	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
)

func TestRequests_AreAnsweredByWhoAskedWhereThatIsOne(t *testing.T) {
	var r Requests
	from := func(flag, kind, id string) persona.Request {
		req := persona.Request{ID: flag, Kind: kind, From: persona.Account{Platform: "qq", ID: id}}
		if kind == persona.GroupInvite {
			req.Group = "1"
		}
		return req
	}
	for _, req := range []persona.Request{
		from("a", persona.FriendRequest, "2001"), from("b", persona.GroupInvite, "2001"), from("c", persona.GroupInvite, "2002"), from("d", persona.GroupInvite, "2002"),
		from("2003", persona.FriendRequest, "2004"), from("e", persona.FriendRequest, "2003"),
	} {
		r.Heard(req)
	}
	for given, want := range map[string]string{"2001": "a", "user_2001": "a", "a": "a", "b": "b", "2003": "2003", "9": "9"} {
		assert.Equal(t, want, r.by(given, persona.FriendRequest), given)
	}
	assert.Equal(t, "b", r.by("2001", persona.GroupInvite))
	assert.Equal(t, "2002", r.by("2002", persona.GroupInvite), "they have made two")
	assert.Equal(t, "2001", (*Requests)(nil).by("2001", persona.FriendRequest))
}
