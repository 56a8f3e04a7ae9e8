package qq

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/hearth-bot/hearth/nit"
	"github.com/hearth-bot/hearth/persona"
)

type friendRequestIn struct {
	Flag    nit.ID `json:"flag" jsonschema:"这条申请的 flag，原样填写"`
	Approve *bool  `json:"approve,omitempty" jsonschema:"同意还是拒绝"`
	Remark  string `json:"remark,omitempty" jsonschema:"同意后给对方的备注名"`
}

type inviteIn struct {
	Flag    nit.ID `json:"flag" jsonschema:"这条邀请的 flag，原样填写"`
	Approve *bool  `json:"approve,omitempty" jsonschema:"同意还是拒绝"`
}

func approveSchema(s *jsonschema.Schema) {
	s.Properties["approve"].Default = json.RawMessage("true")
}

func (k *toolkit) handleFriendRequest() (nit.Tool, error) {
	return nit.Define("qq_handle_friend_request", nit.L1, "同意或拒绝一条好友申请。flag 来自申请本身，也可以写申请人的 QQ号。", k.answerFriend, nit.ResultIntegrity(nit.Trusted), nit.ActsOn(approveWords, "flag"),
		nit.DescribeIn(nit.ModePersona, "由你决定要不要加这个好友：看看申请里写了什么，再想想对这个人的印象。"),
		nit.EditSchema(approveSchema), nit.EditSchema(func(s *jsonschema.Schema) {
			s.Properties["remark"].MaxLength = new(60)
			s.Properties["remark"].Default = json.RawMessage(`""`)
		}))
}

func (k *toolkit) answerFriend(ctx context.Context, in friendRequestIn) (string, error) {
	flag, err := k.resolveFlag(ctx, in.Flag, persona.FriendRequest)
	if err != nil {
		return "", err
	}
	approve := in.Approve == nil || *in.Approve
	return k.finishRequest(flag, approve, k.actor.AnswerFriend(ctx, flag, approve, line(in.Remark, 60)))
}

func (k *toolkit) handleGroupInvite() (nit.Tool, error) {
	return nit.Define("qq_handle_group_invite", nit.L1, "接受或拒绝一条入群邀请。flag 来自邀请本身，也可以写群号或邀请人的 QQ号。", k.answerInvite, nit.ResultIntegrity(nit.Trusted), nit.ActsOn(approveWords, "flag"),
		nit.DescribeIn(nit.ModePersona, "由你决定要不要进这个群：看看是谁邀请的，自己有没有兴趣和精力。"),
		nit.EditSchema(approveSchema))
}

func (k *toolkit) answerInvite(ctx context.Context, in inviteIn) (string, error) {
	flag, err := k.resolveFlag(ctx, in.Flag, persona.GroupInvite)
	if err != nil {
		return "", err
	}
	approve := in.Approve == nil || *in.Approve
	return k.finishRequest(flag, approve, k.actor.AnswerInvite(ctx, flag, approve))
}

// resolveFlag returns the flag of a request. In agent mode the user or group id works too, because the owner refers to
// requests by them.
func (k *toolkit) resolveFlag(ctx context.Context, given nit.ID, kind string) (string, error) {
	if !mayAnswer(ctx, given, kind) {
		return "", nit.ErrUnknownTool
	}
	p, _ := nit.PrincipalFrom(ctx)
	if k.o.Requests == nil || !isAgent(p) {
		return string(given), nil
	}
	var flags []string
	for _, r := range k.o.Requests.List() {
		names := []string{r.From.ID, userChat(r.From.ID).SourceID()}
		if kind == persona.GroupInvite {
			names = append(names, r.Group, groupChat(r.Group).SourceID())
		}
		switch {
		case r.ID == string(given):
			return r.ID, nil
		case r.Kind == kind && slices.Contains(names, string(given)):
			flags = append(flags, r.ID)
		}
	}
	switch len(flags) {
	case 0:
		return string(given), nil // it may be older than this process
	case 1:
		return flags[0], nil
	}
	return "", modelErrorf("这样的申请有 %d 个：%s。请写其中一个的 flag", len(flags), strings.Join(flags, "、"))
}

func (k *toolkit) finishRequest(flag string, approve bool, err error) (string, error) {
	if err != nil {
		return "", failure("没有处理成，这条申请可能已经过期或处理过了", "不知道处理成没有，不要再处理一次", err)
	}
	k.o.Requests.Remove(flag)
	if approve {
		return "已同意", nil
	}
	return "已拒绝", nil
}

type requestOut struct {
	Flag    string `json:"flag"`
	Kind    string `json:"kind"`
	Group   string `json:"group_id,omitempty"`
	User    string `json:"user_id"`
	Comment string `json:"comment,omitempty"`
	Time    string `json:"time"`
}

func (k *toolkit) requests() (nit.Tool, error) {
	return nit.Define("qq_get_requests", nit.L1, "列出还没有处理的好友申请和入群邀请。附言是申请人写的，未必是真的。", k.listRequests, agentOnly(readsUntrusted()...)...)
}

func (k *toolkit) listRequests(context.Context, struct{}) ([]requestOut, error) {
	out := []requestOut{}
	for _, r := range k.o.Requests.List() {
		o := requestOut{Flag: r.ID, Kind: r.Kind, User: userChat(r.From.ID).SourceID(), Comment: line(r.Comment, 100), Time: k.time(r.At)}
		if r.Group != "" {
			o.Group = groupChat(r.Group).SourceID()
		}
		out = append(out, o)
	}
	return out, nil
}
