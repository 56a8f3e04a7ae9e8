package qq_test

import (
	"os"
	"reflect"
	"slices"
	"testing"

	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/nit/qq"
	"github.com/hearth-bot/hearth/persona"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// An action that the platform lacks has no tool. The other tools remain.
func TestTools_NilFunctionIsNoTool(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	require.NoError(t, err)
	defer root.Close()
	with := func(actor qq.Actor) (names []string) {
		tools, err := qq.Tools(actor, qq.Options{Images: root, Files: root, Voice: persona.VoicerFunc(nil)})
		require.NoError(t, err)
		for _, tool := range tools {
			names = append(names, tool.Name())
		}
		return names
	}
	s := newStage(t)
	all := with(s.actor())
	assert.Len(t, all, 28, "with all functions")
	actor := s.actor()
	for _, tt := range []struct {
		function any // pointer to a field of actor
		gone     []string
	}{
		{&actor.Send, []string{"qq_send_text", "qq_send_image", "qq_send_voice", "qq_send_forward", "qq_react", "qq_send_file"}},
		{&actor.EncodeImage, []string{"qq_send_image"}},
		{&actor.Faces, []string{"qq_react"}},
		{&actor.CheckMessage, []string{"qq_react"}},
		{&actor.Self, []string{"qq_send_forward"}},
		{&actor.Poke, []string{"qq_poke"}},
		{&actor.Profile, []string{"qq_get_stranger_info"}},
		{&actor.Friends, []string{"qq_get_friend_list"}},
		{&actor.Groups, []string{"qq_get_group_list"}},
		{&actor.Members, []string{"qq_get_group_member_list"}},
		{&actor.History, []string{"qq_get_group_history"}},
		{&actor.AnswerFriend, []string{"qq_handle_friend_request"}},
		{&actor.AnswerInvite, []string{"qq_handle_group_invite"}},
		{&actor.DeleteFriend, []string{"qq_delete_friend"}},
		{&actor.Recall, []string{"qq_delete_message"}},
		{&actor.Kick, []string{"qq_group_kick"}},
		{&actor.Mute, []string{"qq_group_ban"}},
		{&actor.SetCard, []string{"qq_group_card"}},
		{&actor.SetTitle, []string{"qq_group_title"}},
		{&actor.SignIn, []string{"qq_group_sign"}},
		{&actor.SetEssence, []string{"qq_essence"}},
		{&actor.Essence, []string{"qq_get_essence_list"}},
		{&actor.Announce, []string{"qq_send_announcement"}},
		{&actor.Announcements, []string{"qq_get_announcements"}},
		{&actor.Files, []string{"qq_group_files"}},
		{&actor.FileURL, []string{"qq_get_file_url"}},
	} {
		actor = s.actor()
		reflect.ValueOf(tt.function).Elem().SetZero()
		want := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(tt.gone, name) })
		assert.ElementsMatch(t, want, with(actor), tt.gone[0])
	}
}

// Without contact lists no name is found, and everything else works.
func TestTools_WithoutLists(t *testing.T) {
	s := newStage(t)
	actor := s.actor()
	actor.Friends, actor.Groups, actor.Members = nil, nil, nil
	tools, err := qq.Tools(actor, qq.Options{})
	require.NoError(t, err)
	var r nit.Registry
	require.NoError(t, r.Add(tools...))
	owner := r.View(nit.Principal{Mode: nit.ModeAgent, Tiers: nit.L1})
	_, err = owner.Do(t.Context(), "qq_send_text", `{"content":"x","target_id":"炉边"}`)
	assert.ErrorContains(t, err, "没有叫这个名字的")
	_, err = owner.Do(t.Context(), "qq_group_kick", `{"group_id":1,"user_id":"小明"}`)
	assert.ErrorContains(t, err, "user_id 是数字的 QQ号")
	_, err = owner.Do(t.Context(), "qq_group_kick", `{"group_id":1,"user_id":5}`)
	require.NoError(t, err)
	assert.Equal(t, []string{`set_group_kick {"group_id":1,"user_id":5,"reject_add_request":false}`}, s.sent)
	_, err = owner.Do(t.Context(), "qq_find_target", `{"name":"x"}`)
	assert.Equal(t, nit.ErrUnknownTool, err)
}
